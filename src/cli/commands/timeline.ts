import type { DeploymentResource } from '../../api/deployment.ts';
import type { DemoListener } from '../../compose/demo/play-demo.ts';
import type { Change } from '../../model/compare/change.ts';
import type { Event } from '../../model/outcome/event.ts';
import type { LogFields } from '../../ports/process/logger.ts';
import { renderTable, type Table } from '../render/render-table.ts';
import { type Paint, paintFor, type Style } from '../terminal/paint.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** An entry of the timeline: an event at a resource or at the service. */
interface Entry {
  readonly name: string;
  readonly what: string;
  readonly text: string;
  readonly style: Style;
}

/**
 * Prints the demo as it happens: steps as headings, each followed by the actions of the controller and the requests.
 */
export class Timeline implements DemoListener {
  readonly #terminal: Terminal;
  readonly #paint: Paint;
  readonly #speed: number;
  #steps = 0;

  constructor(terminal: Terminal, speed: number) {
    this.#terminal = terminal;
    this.#paint = paintFor(terminal);
    this.#speed = speed;
  }

  /** Prints the introduction. */
  opening(): void {
    this.#line('This process runs a simulated service, the controller, and a folder of manifests.', 'bold');
    this.#line(
      `The clock runs ${this.#speed} times as fast as real time; nothing else differs from production.`,
      'dim',
    );
  }

  step(title: string, detail: string): void {
    this.#steps += 1;
    this.#line('');
    this.#line(`${this.#steps}. ${title}`, 'bold');
    this.#line(`   ${detail}`, 'dim');
  }

  event(name: string, { reason, message, type }: Event): void {
    this.#entry({ name, what: reason, text: message, style: type === 'Warning' ? 'yellow' : 'green' });
  }

  log(message: string, fields: LogFields): void {
    if (message !== 'sending a change') return;
    const changes = fields['changes'] as readonly Change[];
    for (const { path, from, to } of changes) {
      const text = `${path}: ${from} -> ${to}`;
      this.#entry({ name: nameIn(fields), what: 'plan', text, style: 'cyan' });
    }
  }

  request(path: string, body: unknown): void {
    const text = `${path.slice(0, 28)}… ${JSON.stringify(body)}`;
    this.#entry({ name: 'service', what: 'PATCH', text, style: 'cyan' });
  }

  /** Prints the final state of the resources. */
  end(resources: readonly DeploymentResource[]): void {
    this.#terminal.out(`\n${renderTable(tableOf(resources), this.#terminal.columns)}`);
    this.#line(
      '\nEverything happened as expected. Next: npm run dev shows the same with a real Kubernetes API server.',
    );
  }

  #entry({ name, what, text, style }: Entry): void {
    const room = this.#terminal.columns - 36;
    const shown = text.length <= room ? text : `${text.slice(0, Math.max(20, room) - 1)}…`;
    this.#terminal.out(`   ${name.padEnd(14)} ${this.#paint(what.padEnd(16), style)} ${shown}\n`);
  }

  #line(text: string, style?: Style): void {
    this.#terminal.out(`${style === undefined ? text : this.#paint(text, style)}\n`);
  }
}

function nameIn(fields: LogFields): string {
  const resource = fields['resource'];
  return typeof resource === 'string' ? (resource.split('/').at(-1) ?? '') : '';
}

function tableOf(resources: readonly DeploymentResource[]): Table {
  const condition = ({ status }: DeploymentResource, type: string) =>
    status?.conditions?.find((c) => c.type === type);
  return {
    header: ['NAME', 'READY', 'SYNCED', 'REASON', 'STATUS', 'ACTIVE REVISION'],
    rows: resources.map((resource) => [
      resource.metadata.name,
      condition(resource, 'Ready')?.status ?? '',
      condition(resource, 'Synced')?.status ?? '',
      condition(resource, 'Ready')?.reason ?? '',
      resource.status?.serviceStatus ?? '',
      resource.status?.activeRevisionID ?? '',
    ]),
  };
}
