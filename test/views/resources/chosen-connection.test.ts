import { describe, expect, it } from 'vitest';
import type { ConnectionResource } from '../../../src/api/connection.ts';
import { chosenConnection } from '../../../src/views/resources/chosen-connection.ts';

const spec = { baseURL: 'https://deploy.example.com' };

function connection(place: string): ConnectionResource {
  const [name = '', namespace] = place.split('/').toReversed();
  const apiVersion = 'dms-operator.dev/v1alpha1';
  return namespace === undefined
    ? { apiVersion, kind: 'ClusterConnection', metadata: { name }, spec }
    : { apiVersion, kind: 'Connection', metadata: { name, namespace }, spec };
}

function chosen(places: readonly string[], wish?: string, ...namespaces: string[]): string {
  const { kind, namespace, name } = chosenConnection(places.map(connection), {
    connection: wish,
    namespaces,
  });
  return `${kind} ${namespace}/${name}`;
}

describe('the chosen connection', () => {
  it.each<[readonly string[], string | undefined, readonly string[], string]>([
    [['a/main'], undefined, [], 'Connection a/main'],
    [['a/main', 'a/default'], undefined, [], 'Connection a/default'],
    [['default', 'a/default'], undefined, [], 'Connection a/default'],
    [['default', 'a/main'], undefined, [], 'ClusterConnection /default'],
    [['a/main', 'b/main'], undefined, ['b'], 'Connection b/main'],
    [['a/main', 'a/other'], 'other', [], 'Connection a/other'],
    [['main', 'a/main'], 'clusterconnection/main', [], 'ClusterConnection /main'],
    [['main', 'a/main'], 'connection/main', [], 'Connection a/main'],
  ])('of %j, asked for %s in %j, is %s', (places, wish, namespaces, expected) => {
    expect(chosen(places, wish, ...namespaces)).toBe(expected);
  });

  it.each<[readonly string[], string | undefined, RegExp]>([
    [[], undefined, /^there is no Connection; give its manifest with -f/],
    [['a/main'], 'other', /^there is no connection other; there is Connection a\/main$/],
    [['a/main', 'a/other'], undefined, /^several connections could be meant: .* name one with --connection/],
    [['a/default', 'b/default'], undefined, /^several connections could be meant: .* its namespace with -n$/],
    [
      ['main', 'a/main'],
      'main',
      /^several connections could be meant: ClusterConnection main, Connection a\/main;/,
    ],
  ])('of %j, asked for %s, is none', (places, wish, line) => {
    expect(() => chosen(places, wish)).toThrow(line);
  });
});
