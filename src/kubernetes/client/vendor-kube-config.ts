/**
 * The only class of client-node that the program uses. No other file imports it, so the bundle contains this class
 * without the ten thousand other ones of that package, which would take 45 MiB of memory and most of the start.
 */
export { KubeConfig } from '@kubernetes/client-node';
