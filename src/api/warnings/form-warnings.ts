import { at, type JsonRecord, type Problem, record, warning } from '../problem.ts';

/** How a text usually looks; the service documents no form of any (2.4, 2.6). */
interface Form {
  readonly path: string;
  readonly pattern: RegExp;
  readonly message: string;
  readonly expected: string;
}

const FORMS: readonly Form[] = [
  {
    path: 'sourceConfig.repoURL',
    pattern: /^(?:(?:https?|ssh|git):\/\/[^\s/]+\/\S+|[^\s@/]+@[^\s:/]+:\S+)$/i,
    message: 'does not look like the URL of a repository',
    expected: 'such as https://code.example.com/acme/agent',
  },
  {
    path: 'sourceConfig.customURL',
    pattern: /^https?:\/\/[^\s/]\S*$/i,
    message: 'does not look like a URL',
    expected: 'such as https://agent.example.com',
  },
  {
    path: 'sourceConfig.listenerConfig.k8sNamespace',
    pattern: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    message: 'cannot be the name of a namespace',
    expected: 'at most 63 lower-case letters, digits and dashes',
  },
  {
    path: 'sourceRevisionConfig.repoRef',
    pattern: /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{))[^\s~^:?*[\\]+(?<![/.])$/,
    message: 'cannot be the name of a branch, a tag or a commit',
    expected: 'such as main or refs/tags/v1.2.0',
  },
  {
    path: 'sourceRevisionConfig.imageURI',
    pattern:
      /^(?:[a-z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::\w[\w.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?$/i,
    message: 'does not look like a reference of an image',
    expected: 'such as registry.example.com/acme/agent:1.2.0',
  },
];

/** Warnings about texts that are empty, or do not look like what they are meant to be. */
export function formWarnings(spec: JsonRecord): Problem[] {
  const empty = ['sourceConfig', 'sourceRevisionConfig'].flatMap((block) =>
    Object.entries(record(spec[block]))
      .filter(([, value]) => value === '')
      .map(([name]) => warning(`spec.${block}.${name}`, 'is empty', 'a value, or its path in spec.clear')),
  );
  const odd = FORMS.flatMap(({ path, pattern, message, expected }) => {
    const text = at(spec, ...path.split('.'));
    const fits = typeof text !== 'string' || text === '' || pattern.test(text);
    return fits ? [] : [warning(`spec.${path}`, message, expected)];
  });
  return [...empty, ...odd];
}
