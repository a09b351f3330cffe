import { isIP } from 'node:net';
import { annotation } from '../../../../src/api/deployment.ts';
import { readClusterAccess, readEgress, readRunConfig } from '../../../../src/cli/flags/read-config.ts';
import { UsageError } from '../../../../src/config.ts';
import { switchesFrom } from '../../../../src/compose/demo/simulation.ts';
import { parseDuration } from '../../../../src/base/parse-duration.ts';
import { ConnectionError } from '../../../../src/model/connection/failure.ts';
import { parseLabelSelector } from '../../../../src/model/connection/parse-label-selector.ts';
import { redactText } from '../../../../src/model/redaction/redact.ts';
import { SecretValue } from '../../../../src/base/secret-value.ts';
import { textForPeople } from '../../../../src/base/text-for-people.ts';
import {
  checkAddress,
  checkHost,
  checkProxied,
  checkProxy,
} from '../../../../src/service/http/check-address.ts';
import { tlsOptions } from '../../../../src/service/http/tls-options.ts';
import { readYaml } from '../../../../src/directory/yaml/read-yaml.ts';
import { DocumentError } from '../../../../src/simulator/values/reader.ts';
import { readSeed } from '../../../../src/simulator/server/read-seed.ts';
import { SimulatedService } from '../../../../src/simulator/server/simulated-service.ts';
import { VirtualClock } from '../../doubles/virtual-clock.ts';
import { aResource } from '../../resources/builders.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../../service/support/test-certificate.ts';
import { SECRET } from '../harm.ts';
import { must, type Target, type Targets, texts, told } from '../target.ts';

/** Returns the declared errors of several readings of a text. */
function tolds(kind: Parameters<typeof told>[1], ...readings: readonly (() => unknown)[]): readonly string[] {
  return readings.flatMap((read) => {
    try {
      read();
      return [];
    } catch (error) {
      return told(error, kind);
    }
  });
}

const settings: Target = {
  whole: texts(
    '30s',
    '1h30m',
    '1.5',
    'tier=gold,shard in (a,b),!c',
    '*.example.com:8443',
    '[::1]:8080',
    ':8080',
    'team-a',
    '64',
    'https://x:6443/y',
  ),
  isJSON: false,
  frames: [(huge) => huge],
  read: (input) => {
    const text = input.toString().slice(0, 2_000);
    const ms = parseDuration(text);
    must(ms === undefined || (Number.isFinite(ms) && ms >= 0), `a duration of ${ms} ms`);
    parseLabelSelector(text);
    const flags = [
      'metricsAddress',
      'shardSelector',
      'workers',
      'namespace',
      'allowHosts',
      'logLevel',
      'dir',
    ];
    return tolds(
      UsageError,
      ...flags.map((flag) => () => readRunConfig({ [flag]: text }, {})),
      () => readClusterAccess({ server: text }),
      () => readClusterAccess({ requestTimeout: text }),
      () => readEgress({ proxyHosts: [text] }, {}),
      () => readEgress({ proxyFromEnvironment: true }, { HTTPS_PROXY: text }),
      () => switchesFrom(text),
    ).map((message) => message.slice(0, 4000));
  },
};

const addresses: Target = {
  whole: texts(
    'https://deploy.example.com/api',
    'http://[::ffff:169.254.169.254]/',
    'https://127.1:80',
    'http://0x7f000001/',
    'fe80::1%eth0',
    '169.254.169.254',
  ),
  isJSON: false,
  frames: [(huge) => huge],
  read: (input) => {
    const text = input.toString();
    const rules = { refuseLoopback: true, allowHosts: ['deploy.example.com', '*.example.com', '[::1]:80'] };
    const url = URL.parse(text);
    const readings =
      url === null ? [] : [() => checkHost(url, rules), () => checkHost(url, { ...rules, allowHosts: [] })];
    if (url !== null) readings.push(() => checkProxy(url, rules));
    readings.push(() => checkProxied(text, rules, 'http://proxy.example.com'));
    if (isIP(text) !== 0) readings.push(() => checkAddress(text, rules));
    return tolds(ConnectionError, ...readings).map((message) => message.slice(0, 4000));
  },
};

const people: Target = {
  whole: texts(
    `no such deployment ${SECRET}`,
    `${encodeURIComponent(SECRET)} ${Buffer.from(SECRET).toString('base64')}`,
  ),
  isJSON: false,
  frames: [(huge) => huge, (huge) => `${SECRET}${huge}${SECRET}`],
  read: (input) => {
    const shown = [
      textForPeople(input.toString(), 300),
      redactText(input.toString(), [new SecretValue(SECRET)], 300),
    ];
    for (const text of shown) {
      must(Buffer.byteLength(text) <= 300, 'a text for people has a length');
      must(
        !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) && text.isWellFormed(),
        'a text for people has nothing that is not seen',
      );
    }
    const asked = annotation(
      aResource({}, { annotations: { 'dms-operator.dev/approve': input.toString() } }),
      'approve',
    );
    must((asked ?? '').length <= 128 && (asked ?? '').isWellFormed(), 'an annotation is read in part');
    return shown.slice(1);
  },
};

const [certificate, key] = [TEST_CERTIFICATE, TEST_KEY];

const pems: Target = {
  whole: texts(`${certificate}\n`, `${certificate}${certificate}`, key),
  isJSON: false,
  frames: [(huge) => huge, (huge) => `-----BEGIN CERTIFICATE-----\n${huge}\n-----END CERTIFICATE-----\n`],
  read: (input) => {
    const text = input.toString();
    return tolds(
      ConnectionError,
      () => tlsOptions({ ca: text }),
      () => tlsOptions({ certificate: text, key: new SecretValue(key) }),
      () => tlsOptions({ certificate, key: new SecretValue(text) }),
    );
  },
};

const SEED = {
  auth: { kind: 'header', name: 'X-Api-Key', value: 'demo-key' },
  semantics: 'masked,rollout:8s',
  load: { count: 3, prefix: 'load' },
  providers: [{ name: 'google' }],
  integrations: [{ id: '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f', repositories: [{ name: 'a', owner: 'b' }] }],
  deployments: [
    {
      name: 'support-agent',
      source: 'external_container',
      source_config: { resource_spec: { min_scale: 1, cpu: 0.5 } },
      source_revision_config: { image_uri: 'registry.example.com/support-agent:1.3.0' },
      secrets: { API_TOKEN: SECRET },
      semantics: { secretsEcho: 'plain' },
    },
  ],
  faults: [
    {
      match: { operation: 'list' },
      fault: { kind: 'status', status: 503, headers: { 'Retry-After': '1' } },
      times: 2,
    },
  ],
  actions: [{ match: {}, action: { kind: 'push', deployment: 'support-agent', commit: 'abc' } }],
};

const seeds: Target = {
  whole: texts(JSON.stringify(SEED)),
  isJSON: true,
  frames: [
    (huge) => huge,
    (huge) => `{"deployments":[{"name":"a","source":"codehost","source_config":${huge}}]}`,
    (huge) => `{"load":{"count":${huge}},"faults":${huge}}`,
  ],
  read: (input) => {
    const document = json(input) ?? readYaml(input.toString()).documents[0]?.value;
    try {
      new SimulatedService({ clock: new VirtualClock(), seed: readSeed(document) }).deployments();
      return [];
    } catch (error) {
      // A missing quote turns a value into a key, and messages show keys.
      const [message = ''] = told(error, DocumentError);
      return message.replaceAll(SECRET, '').split('\n');
    }
  },
};

function json(input: Buffer): unknown {
  try {
    return JSON.parse(input.toString());
  } catch {
    return undefined;
  }
}

/**
 * Readers of texts that people write: flags, variables, annotations, connections and seeds of the simulated service.
 */
export const TARGETS: Targets<'words'> = {
  settings,
  addresses,
  'texts-for-people': people,
  certificates: pems,
  'simulator-seed': seeds,
};
