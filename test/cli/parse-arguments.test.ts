import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { readRunConfig } from '../../src/cli/flags/read-config.ts';
import { type Flags, type RunConfig, UsageError } from '../../src/config.ts';

const about = { program: 'dms-operator', version: '1.2.3', columns: 100 };
const parse = (...words: string[]) => parseArguments(words, about);

describe('a command line', () => {
  it.each([
    { words: ['crds'], invocation: { name: 'crds' } },
    { words: ['demo'], invocation: { name: 'demo', options: {} } },
    {
      words: ['demo', '--semantics', 'replace,masked'],
      invocation: { name: 'demo', options: { semantics: 'replace,masked' } },
    },
    { words: ['--version'], invocation: { kind: 'text', text: '1.2.3\n' } },
    { words: ['--debug', 'crds'], invocation: { name: 'crds', options: {} } },
    {
      words: ['validate', '-f', 'a', '--debug'],
      invocation: { name: 'validate', options: { filename: ['a'] } },
    },
    {
      words: ['validate', '-f', 'a.yaml', 'b', '-f', '-', '-o', 'github'],
      invocation: { name: 'validate', options: { filename: ['a.yaml', 'b', '-'], output: 'github' } },
    },
    {
      words: ['validate', '--filename=a'],
      invocation: { name: 'validate', options: { filename: ['a'], output: 'text' } },
    },
    { words: ['simulate'], invocation: { name: 'simulate', options: { host: '127.0.0.1', port: 7070 } } },
    {
      words: [
        'simulate',
        '--port',
        '0',
        '--seed',
        's.yaml',
        '--semantics',
        'replace',
        '--rollout-seconds',
        '2.5',
      ],
      invocation: {
        name: 'simulate',
        options: { host: '127.0.0.1', port: 0, seed: 's.yaml', semantics: 'replace', rolloutSeconds: 2.5 },
      },
    },
    {
      words: ['run', '--dir', 'd', '--prune', '--dry-run=false', '--namespace', 'a', '--namespace', 'b'],
      invocation: {
        name: 'run',
        options: { dir: ['d'], prune: true, dryRun: 'false', namespace: ['a', 'b'] },
      },
    },
  ])('is understood: $words', ({ words, invocation }) => {
    expect(parse(...words)).toMatchObject(invocation);
  });

  it.each([
    { words: [], line: "a command is missing; see 'dms-operator --help'" },
    { words: ['rum'], line: "unknown command 'rum' (Did you mean run?); see 'dms-operator --help'" },
    {
      words: ['run', '--nmespace', 'a'],
      line: "unknown option '--nmespace' (Did you mean --namespace?); see 'dms-operator run --help'",
    },
    {
      words: ['run', '--dir'],
      line: "option '--dir <folder>' argument missing; see 'dms-operator run --help'",
    },
    {
      words: ['run', 'here'],
      line: "too many arguments for 'run'. Expected 0 arguments but got 1: here; see 'dms-operator run --help'",
    },
    {
      words: ['validate'],
      line: "required option '-f, --filename <path...>' not specified; see 'dms-operator validate --help'",
    },
    {
      words: ['validate', '-f', 'a', '-o', 'xml'],
      line: "option '-o, --output <format>' argument 'xml' is invalid. Allowed choices are text, json, github, sarif; see 'dms-operator validate --help'",
    },
    {
      words: ['simulate', '--port', '70000'],
      line: "option '--port <port>' argument '70000' is invalid. Expected a number from 0 to 65535; see 'dms-operator simulate --help'",
    },
    {
      words: ['simulate', '--rollout-seconds', 'soon'],
      line: "option '--rollout-seconds <seconds>' argument 'soon' is invalid. Expected a number of seconds; see 'dms-operator simulate --help'",
    },
    {
      words: ['apply', '-f', 'a', '--prune=yes'],
      line: "--prune takes no value; write --prune alone; see 'dms-operator apply --help'",
    },
    { words: ['--verbose'], line: "unknown option '--verbose'; see 'dms-operator --help'" },
    { words: ['hepl'], line: "unknown command 'hepl' (Did you mean help?); see 'dms-operator --help'" },
    {
      words: ['validate', '--filname', 'a'],
      line: "unknown option '--filname' (Did you mean --filename?); see 'dms-operator validate --help'",
    },
    {
      words: ['plan', '-f', 'a', '--kubecofnig=hunter2'],
      line: "unknown option '--kubecofnig' (Did you mean --kubeconfig?); see 'dms-operator plan --help'",
    },
    {
      words: ['plan', '-f', 'a', '-kubeconfig=hunter2'],
      line: "unknown option '-kubeconfig' (Did you mean --kubeconfig?); see 'dms-operator plan --help'",
    },
    { words: ['crds', '-phunter2'], line: "unknown option '-p'; see 'dms-operator crds --help'" },
    {
      words: ['validate', '-f', 'a', '-o', 'jsno'],
      line: "option '-o, --output <format>' argument 'jsno' is invalid. Allowed choices are text, json, github, sarif (Did you mean json?); see 'dms-operator validate --help'",
    },
    {
      words: ['get', 'deploymnets'],
      line: "command-argument value 'deploymnets' is invalid for argument 'what'. Allowed choices are deployments, repositories, providers (Did you mean deployments?); see 'dms-operator get --help'",
    },
    {
      words: ['import', '--all', '--assume-source', 'codehots'],
      line: "option '--assume-source <source>' argument 'codehots' is invalid. Allowed choices are codehost, external_container, internal_container, internal_source, internal_template (Did you mean codehost?); see 'dms-operator import --help'",
    },
  ])('that is invalid is reported in one line: $words', ({ words, line }) => {
    expect(() => parse(...words)).toThrow(new UsageError(line));
  });

  it('takes absent flags from variables', () => {
    const environment = {
      DMS_OPERATOR_PORT: 'tcp://10.0.0.1:8080',
      DMS_OPERATOR_HOST: '127.0.0.2',
      DMS_OPERATOR_SEED: '',
      DMS_OPERATOR_FILENAME: 'a,b',
      DMS_OPERATOR_OUTPUT: 'json',
    };
    const given = (...words: string[]) => parseArguments(words, { ...about, environment });
    expect(given('simulate')).toMatchObject({ options: { host: '127.0.0.2', port: 7070 } });
    expect(given('simulate', '--host', '::1')).toMatchObject({ options: { host: '::1' } });
    expect(given('validate')).toMatchObject({ options: { filename: ['a', 'b'], output: 'json' } });
    expect(given('status')).toMatchObject({ options: { filename: ['a', 'b'] } });
    expect(given('--debug', 'validate')).toMatchObject({ options: { filename: ['a', 'b'] } });
    expect(given('validate', '-fc', '--output=github')).toMatchObject({
      options: { filename: ['c'], output: 'github' },
    });
    const console = (value: string) =>
      parseArguments(['console'], { ...about, environment: { DMS_OPERATOR_NO_OPEN: value } });
    expect(console('true')).toMatchObject({ options: { open: false } });
    expect(console('false')).toMatchObject({ options: { open: true } });
    expect(() => parseArguments(['simulate'], { ...about, environment: { DMS_OPERATOR_PORT: 'x' } })).toThrow(
      "DMS_OPERATOR_PORT: 'x' is invalid",
    );
  });

  it('uses the name by which it was called', () => {
    const called = { ...about, program: 'kubectl dms' };
    expect(() => parseArguments(['rum'], called)).toThrow("see 'kubectl dms --help'");
    const help = parseArguments(['validate', '--help'], called);
    expect(help.kind === 'text' && help.text).toContain('kubectl dms validate -f');
  });

  it('has a flag of run for every setting, under the name that reads the setting', () => {
    const values: Record<string, string> = {
      '--metrics-address': '0',
      '--workers': '3',
      '--log-level': 'debug',
      '--log-format': 'json',
      '--prune-after': '2m',
    };
    const help = parse('run', '--help');
    const flags = help.kind === 'text' ? (help.text.match(/^ {2}--[a-z-]+/gm) ?? []) : [];
    expect(flags.length).toBeGreaterThan(10);
    const inCluster = [
      ...['--kubeconfig', '--context', '--cluster', '--user', '--token', '--as', '--as-group', '--namespace'],
      ...['--certificate-authority', '--client-certificate', '--client-key', '--insecure-skip-tls-verify'],
      ...['--tls-server-name', '--request-timeout'],
      ...['--shard-selector', '--leader-elect', '--leader-election-namespace'],
    ];
    const settings = flags.map((flag) => flag.trim()).filter((flag) => !inCluster.includes(flag));
    const words = settings.flatMap((flag) =>
      ['--prune', '--prune-many', '--dry-run', '--proxy-from-environment'].includes(flag)
        ? [flag]
        : [flag, values[flag] ?? 'x'],
    );
    const invocation = parse('run', ...words);
    if (invocation.kind !== 'command') throw new Error('run was asked for');
    const flat = ({ egress, ...config }: RunConfig): Readonly<Record<string, unknown>> => ({
      ...{ environmentProxy: undefined, ...egress, ...config },
    });
    const config = flat(readRunConfig(invocation.options as Flags, { HTTPS_PROXY: 'proxy.test:3128' }));
    const defaults = flat(readRunConfig({ leaderElect: false }, {}));
    const changed = Object.entries(config).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name]),
    );
    expect(changed).toHaveLength(settings.length);
  });
});

describe('help', () => {
  it.each([[], ...COMMANDS.map(({ name }) => [name])])('of %s is as it was agreed', async (...command) => {
    const help = parse(...command, '--help');
    if (help.kind !== 'text') throw new Error('help was asked for');
    expect(help).toEqual(parse('help', ...command));
    expect(help.text).toMatch(/^Usage: [^\n]+\n\n[A-Z][^.]+\./);
    expect(help.text).toContain('\nExamples:\n');
    expect(help.text).toMatch(/\nExit codes:\n {2}0 .*\n(?: .*\n)* {2}64 /);
    await expect(help.text).toMatchFileSnapshot(
      `golden/help${command.map((word) => `-${word}`).join('')}.txt`,
    );
  });

  it.each(COMMANDS.map(({ name }) => [name]))('of %s fits the terminal and is readable', (command) => {
    for (const columns of [80, 300]) {
      const help = parseArguments([command, '--help'], { ...about, columns });
      const lines = help.kind === 'text' ? help.text.split('\n') : [];
      // Command lines are not wrapped.
      const told = lines.filter((line) => !line.startsWith('  dms-operator '));
      expect(Math.max(...told.map((line) => line.length))).toBeLessThanOrEqual(Math.min(columns, 100));
    }
  });
});
