import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { addCommands, COMPILED, OUR_PROGRAM, runInShell } from '../../gitops/support/shell.ts';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';
import { type OperatorProcess, startOperator } from '../../support/worlds/operator-process.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { ROOT, textOf } from '../support.ts';
import { isAsShown } from './output.ts';
import { type PageCommand, stepsOn } from './steps.ts';

/** The environment of the reader before the first command. */
export interface Setting {
  /** The cluster of the kubeconfig. Absent: no cluster. */
  readonly cluster?: ControlPlane;
  /** The files in the folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Programs other than ours and kubectl, as shell text by name. */
  readonly commands?: Readonly<Record<string, string>>;
  /** Commands that run before those of the page. */
  readonly before?: readonly string[];
  /** Commands that are skipped. */
  readonly leave?: RegExp;
}

/** Programs that run until Ctrl-C, and the output that shows that they are ready. */
const LASTING: Readonly<Record<string, string>> = {
  simulate: 'simulated service at',
  run: 'ready',
  console: 'console at',
};

/** Commands without side effects, which may be repeated until the expected output appears. */
const LOOKING =
  /^(?:kubectl (?:get|events|describe|wait|auth can-i|apply --dry-run=server)|dms-operator (?:get|status|describe|plan)|curl -s \d\S+)(?: |$)/;
const LOOK_LIMIT_MS = 60_000;
const LOOK_AGAIN_MS = 100;

/** Carries out the steps of a page in a folder of its own, and compares the output with the page. */
export async function tellStory(page: string, setting: Setting = {}): Promise<void> {
  const story = new Story(setting, await freeAddresses());
  for (const line of setting.before ?? [])
    await story.carryOut({ kind: 'command', line, code: 0, shown: [] });
  for (const step of stepsOn(textOf(page))) {
    if (step.kind === 'file') story.write(step.name, step.text);
    else if (!setting.leave?.test(step.line)) await story.carryOut(step);
  }
  story.expectNoLeak();
}

/** A folder with a shell, and the programs that were started in it. */
class Story {
  readonly #folder: TemporaryFolder;
  readonly #variables: Readonly<Record<string, string>>;
  /** The addresses in pages, and their replacements. */
  readonly #addresses: ReadonlyMap<string, string>;
  readonly #lasting = new Map<string, OperatorProcess>();
  /** The values in Secrets, and all output. */
  readonly #secrets: string[] = [];
  readonly #told: string[] = [];

  constructor({ cluster, files, commands }: Setting, addresses: ReadonlyMap<string, string>) {
    this.#folder = temporaryFolder();
    this.#addresses = addresses;
    for (const [name, text] of Object.entries(files ?? {})) this.write(name, text);
    for (const name of ['manifests', 'crds']) symlinkSync(join(ROOT, name), this.#folder.at(name));
    addCommands(this.#folder, { 'dms-operator': OUR_PROGRAM, ...commands });
    this.#variables = {
      DMS_OPERATOR_PORT: portOf(addresses.get(SERVICE)),
      DMS_OPERATOR_METRICS_ADDRESS: addresses.get(METRICS) ?? '',
      ...(cluster === undefined ? {} : { KUBECONFIG: this.#useCluster(cluster) }),
    };
    onTestFinished(async () => {
      await Promise.all([...this.#lasting.values()].map((program) => program.stop()));
    });
  }

  #useCluster({ kubectlFile, kubeconfigFile }: ControlPlane): string {
    addCommands(this.#folder, { kubectl: `#!/bin/sh\nexec '${kubectlFile}' "$@"\n` });
    return this.#folder.write('kubeconfig', readFileSync(kubeconfigFile));
  }

  write(name: string, text: string): void {
    this.#folder.write(name, this.#withOurAddresses(text));
  }

  async carryOut(command: PageCommand): Promise<void> {
    for (const [, value = ''] of command.line.matchAll(/--from-literal=[\w-]+=(\S+)/g))
      this.#secrets.push(value);
    const [, word = ''] = /^dms-operator (\w+)/.exec(command.line) ?? [];
    const whenReady = LASTING[word];
    if (whenReady === undefined) await this.#untilAsShown(command);
    else await this.#start(word, command.line, whenReady);
  }

  /** Expects that no output contains a value of a Secret that the page creates. */
  expectNoLeak(): void {
    const told = [...this.#told, ...[...this.#lasting.values()].flatMap(({ lines }) => lines)];
    expect(told.filter((text) => this.#secrets.some((secret) => text.includes(secret)))).toEqual([]);
  }

  async #untilAsShown({ line, code, shown }: PageCommand): Promise<void> {
    const endMs = Date.now() + (LOOKING.test(line) ? LOOK_LIMIT_MS : 0);
    for (;;) {
      const result = await this.#type(line);
      const right = result.code === code && (shown.length === 0 || isAsShown(shown, result.out));
      if (right) return;
      if (Date.now() >= endMs) {
        const lines = [`$ ${line}`, `exit code ${result.code}`, result.out];
        expect(lines.join('\n')).toBe([`$ ${line}`, `exit code ${code}`, ...shown].join('\n'));
        return;
      }
      await setTimeout(LOOK_AGAIN_MS);
    }
  }

  async #type(line: string): Promise<{ readonly code: number; readonly out: string }> {
    const text = `exec 2>&1\n${this.#withOurAddresses(line)}`;
    const { code, out } = await runInShell(text, this.#folder, this.#variables);
    this.#told.push(out);
    return { code, out: this.#withTheirAddresses(out) };
  }

  /** Starts a program, and replaces the earlier one of its kind. */
  async #start(word: string, line: string, whenReady: string): Promise<void> {
    await this.#lasting.get(word)?.stop();
    const args = line
      .replace(/\s+#.*$/, '')
      .split(/\s+/)
      .slice(1);
    const env = { PATH: process.env['PATH'], HOME: this.#folder.path, ...COMPILED, ...this.#variables };
    const program = startOperator(args, undefined, [], { cwd: this.#folder.path, env });
    this.#lasting.set(word, program);
    await program.said(whenReady);
  }

  #withOurAddresses(text: string): string {
    return [...this.#addresses].reduce((so, [theirs, ours]) => so.replaceAll(theirs, ours), text);
  }

  #withTheirAddresses(text: string): string {
    return [...this.#addresses].reduce((so, [theirs, ours]) => so.replaceAll(ours, theirs), text);
  }
}

/** The addresses of the simulated service and the controller's metrics in pages. */
const SERVICE = '127.0.0.1:7070';
const METRICS = '127.0.0.1:8080';

async function freeAddresses(): Promise<ReadonlyMap<string, string>> {
  const ports = await Promise.all([freePort(), freePort()]);
  return new Map([SERVICE, METRICS].map((address, index) => [address, `127.0.0.1:${ports[index]}`]));
}

function portOf(address = ''): string {
  return address.slice(address.indexOf(':') + 1);
}
