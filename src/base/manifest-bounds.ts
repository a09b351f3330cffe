/** The most bytes that are read of a file of manifests: reading YAML takes about a second per megabyte and cannot be interrupted. */
export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;
