import { CLUSTER_CONNECTION_KIND, CONNECTION_KIND } from '../connection.ts';
import { DEPLOYMENT_KIND } from '../deployment.ts';
import { at, error, isRecord, type JsonRecord, list, type Problem, record } from '../problem.ts';

/** A CEL rule of a CRD, in code. `message` equals the message in the CRD. */
interface Rule {
  readonly kinds: readonly string[];
  readonly message: string;
  readonly expected: string;
  /** Returns the paths at which a manifest breaks the rule. `old` is the manifest that it replaces, if one exists. */
  broken(document: JsonRecord, old: JsonRecord | undefined): readonly string[];
}

const CONNECTIONS = [CONNECTION_KIND, CLUSTER_CONNECTION_KIND];
const PROXY_ADDRESS = /^https?:\/\/[A-Za-z0-9._:[\]-]+\/?$/;
const LOOPBACK = /^http:\/\/(localhost|127[.][0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}|\[::1\])(:[0-9]+)?(\/|$)/;

/** Two keys. An object must have exactly one of them. */
type Choice = readonly [one: string, other: string];

const VALUE_OR_FROM: Choice = ['value', 'valueFrom'];
const SECRET_OR_CONFIG_MAP: Choice = ['secretKeyRef', 'configMapKeyRef'];

const DEPLOYMENT_RULES: readonly Rule[] = [
  {
    kinds: [DEPLOYMENT_KIND],
    message: 'source cannot be changed',
    expected: 'the source it had, or a new resource',
    broken: (document, old) =>
      old !== undefined && at(old, 'spec', 'source') !== at(document, 'spec', 'source')
        ? ['spec.source']
        : [],
  },
  {
    kinds: [DEPLOYMENT_KIND],
    message:
      'deploymentRef cannot be changed or removed once set; only a new id is accepted, while Synced has reason NotFound',
    expected: 'the reference it had, or a new resource',
    broken: (document, old) =>
      old === undefined || keepsReference(document, old) ? [] : ['spec.deploymentRef'],
  },
  {
    kinds: [DEPLOYMENT_KIND],
    message: 'give id or name, not both',
    expected: 'one of id, name',
    broken: (document) => {
      const ref = record(at(document, 'spec', 'deploymentRef'));
      return has(ref, 'id') && has(ref, 'name') ? ['spec.deploymentRef'] : [];
    },
  },
  {
    kinds: [DEPLOYMENT_KIND],
    message: 'secretReferences are only possible with source external_container',
    expected: 'no secretReferences, or secrets in their place',
    broken: (document) => {
      const spec = record(document['spec']);
      return has(spec, 'secretReferences') && spec['source'] !== 'external_container'
        ? ['spec.secretReferences']
        : [];
    },
  },
  {
    kinds: [DEPLOYMENT_KIND],
    message:
      'creation policy IfMissing needs a name: the service chooses the id of a new deployment, so deploymentRef.id must be absent',
    expected: 'policy Never, or deploymentRef.name in place of deploymentRef.id',
    broken: ({ spec }) =>
      at(spec, 'creation', 'policy') === 'IfMissing' && at(spec, 'deploymentRef', 'id') !== undefined
        ? ['spec.creation.policy']
        : [],
  },
  clearRule('sourceConfig'),
  clearRule('sourceConfig.resourceSpec'),
  clearRule('sourceRevisionConfig'),
  {
    kinds: [DEPLOYMENT_KIND],
    message: 'give exactly one of value and valueFrom',
    expected: 'one of value, valueFrom',
    broken: (document) => withoutExactlyOne(VALUE_OR_FROM, 'spec.secrets', at(document, 'spec', 'secrets')),
  },
  {
    kinds: [DEPLOYMENT_KIND],
    message: 'give exactly one of secretKeyRef and configMapKeyRef',
    expected: 'one of secretKeyRef, configMapKeyRef',
    broken: (document) =>
      list(at(document, 'spec', 'secrets')).flatMap((secret, index) =>
        lacksExactlyOne(SECRET_OR_CONFIG_MAP, at(secret, 'valueFrom'))
          ? [`spec.secrets[${index}].valueFrom`]
          : [],
      ),
  },
];

const CONNECTION_RULES: readonly Rule[] = [
  {
    kinds: CONNECTIONS,
    message: 'baseURL must use https, unless its host is a loopback address or allowHTTP is true',
    expected: 'an https address, or allowHTTP: true',
    broken: ({ spec }) => {
      const url = at(spec, 'baseURL');
      const plain = typeof url === 'string' && !url.startsWith('https://') && !LOOPBACK.test(url);
      return plain && at(spec, 'allowHTTP') !== true ? ['spec.baseURL'] : [];
    },
  },
  {
    kinds: CONNECTIONS,
    message: 'give exactly one of value and valueFrom',
    expected: 'one of value, valueFrom',
    broken: (document) => withoutExactlyOne(VALUE_OR_FROM, 'spec.headers', at(document, 'spec', 'headers')),
  },
  {
    kinds: CONNECTIONS,
    message: 'give at least 0.1 requests per second',
    expected: 'a number from 0.1 to 1000',
    broken: (document) => {
      const rate = at(document, 'spec', 'rateLimit', 'requestsPerSecond');
      return typeof rate === 'number' && rate < 0.1 ? ['spec.rateLimit.requestsPerSecond'] : [];
    },
  },
  {
    kinds: CONNECTIONS,
    message: 'give exactly one of configMapKeyRef and secretKeyRef',
    expected: 'one of configMapKeyRef, secretKeyRef',
    broken: (document) => authoritiesProblem(document, 'tls'),
  },
  {
    kinds: CONNECTIONS,
    message: 'give exactly one of configMapKeyRef and secretKeyRef',
    expected: 'one of configMapKeyRef, secretKeyRef',
    broken: (document) => authoritiesProblem(document, 'proxy'),
  },
  {
    kinds: CONNECTIONS,
    message:
      'baseURL must use https through a proxy, unless allowHTTP is true; the proxy would reach its own loopback address',
    expected: 'an https address, or allowHTTP: true',
    broken: ({ spec }) => {
      const url = at(spec, 'baseURL');
      const plain = typeof url === 'string' && !url.startsWith('https://');
      return plain && isRecord(at(spec, 'proxy')) && at(spec, 'allowHTTP') !== true ? ['spec.baseURL'] : [];
    },
  },
  {
    kinds: CONNECTIONS,
    message:
      'address must be http://HOST:PORT or https://HOST:PORT; put a login into Secrets, and name them in credentials',
    expected: 'an address such as http://proxy.example.com:3128, and a login under credentials',
    broken: ({ spec }) => {
      const address = at(spec, 'proxy', 'address');
      return typeof address === 'string' && !PROXY_ADDRESS.test(address) ? ['spec.proxy.address'] : [];
    },
  },
  {
    kinds: CONNECTIONS,
    message: 'caBundle needs an https address, since only such a proxy shows a certificate',
    expected: 'an https address, or no caBundle',
    broken: ({ spec }) => {
      const proxy = record(at(spec, 'proxy'));
      const isPlain = typeof proxy['address'] === 'string' && !proxy['address'].startsWith('https://');
      return isPlain && has(proxy, 'caBundle') ? ['spec.proxy.caBundle'] : [];
    },
  },
  {
    kinds: [CLUSTER_CONNECTION_KIND],
    message: 'give values with In and NotIn, and with no other operator',
    expected: 'a list of values for In and NotIn, none for Exists and DoesNotExist',
    broken: (document) =>
      list(at(document, 'spec', 'namespaceSelector', 'matchExpressions')).flatMap((expression, index) => {
        const compares = ['In', 'NotIn'].includes(String(at(expression, 'operator')));
        const values = list(at(expression, 'values')).length > 0;
        return compares === values ? [] : [`spec.namespaceSelector.matchExpressions[${index}].values`];
      }),
  },
];

/** The CEL rules of all CRDs. */
export const RULES: readonly Rule[] = [...DEPLOYMENT_RULES, ...CONNECTION_RULES];

/**
 * Returns the problems that the CEL rules find in a manifest, whose types may be wrong. `old` is the manifest that it
 * replaces.
 */
export function ruleProblems(document: JsonRecord, old: unknown): Problem[] {
  const before = isRecord(old) ? old : undefined;
  return RULES.filter(({ kinds }) => kinds.includes(String(document['kind']))).flatMap((rule) =>
    rule.broken(document, before).map((path) => error(path, rule.message, rule.expected)),
  );
}

function keepsReference(document: JsonRecord, old: JsonRecord): boolean {
  const before = at(old, 'spec', 'deploymentRef');
  const now = at(document, 'spec', 'deploymentRef');
  if (before === undefined) return true;
  const same = isRecord(now) && at(now, 'id') === at(before, 'id') && at(now, 'name') === at(before, 'name');
  return same || (at(now, 'id') !== undefined && isNotFound(old));
}

function isNotFound(resource: JsonRecord): boolean {
  const conditions = list(at(resource, 'status', 'conditions'));
  return conditions.some((each) => at(each, 'type') === 'Synced' && at(each, 'reason') === 'NotFound');
}

function clearRule(parent: string): Rule {
  return {
    kinds: [DEPLOYMENT_KIND],
    message: `a field listed in clear must not have a value in ${parent}`,
    expected: 'the field under clear, or its value, not both',
    broken: ({ spec }) =>
      list(at(spec, 'clear')).flatMap((path, index) => {
        if (typeof path !== 'string' || path.slice(0, path.lastIndexOf('.')) !== parent) return [];
        return at(spec, ...path.split('.')) === undefined ? [] : [`spec.clear[${index}]`];
      }),
  };
}

function authoritiesProblem({ spec }: JsonRecord, field: 'tls' | 'proxy'): string[] {
  const found = at(spec, field, 'caBundle');
  return lacksExactlyOne(SECRET_OR_CONFIG_MAP, found) ? [`spec.${field}.caBundle`] : [];
}

function withoutExactlyOne(keys: Choice, path: string, items: unknown): string[] {
  return list(items).flatMap((item, index) => (lacksExactlyOne(keys, item) ? [`${path}[${index}]`] : []));
}

function lacksExactlyOne([one, other]: Choice, value: unknown): boolean {
  return isRecord(value) && has(value, one) === has(value, other);
}

function has(value: JsonRecord, key: string): boolean {
  return Object.hasOwn(value, key);
}
