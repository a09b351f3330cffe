/** Name of the Secret that holds the key of all digests; no connection may take values from it. */
export const DIGEST_KEY_SECRET = 'dms-operator-digest-key';
