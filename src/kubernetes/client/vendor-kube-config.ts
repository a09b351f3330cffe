/**
 * The one class that is used of client-node. Named here and nowhere else, so that the bundle holds the class and not the
 * ten thousand others of that package, which would be loaded with it: 45 MiB of memory, and most of the start.
 */
export { KubeConfig } from '@kubernetes/client-node';
