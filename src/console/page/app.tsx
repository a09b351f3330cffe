import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { ActionDialog } from './actions/action-dialog.tsx';
import { PlanDialog } from './actions/plan-dialog.tsx';
import { planWanted, wanted } from './actions/wanted.ts';
import { Frame, Limits } from './frame.tsx';
import { helpShown, KEYS } from './keys.ts';
import { Command } from './parts/command.tsx';
import { Dialog } from './parts/dialog.tsx';
import { Empty } from './parts/empty.tsx';
import { WaitingLine } from './parts/waiting-line.tsx';
import { pathOf, screenOf } from './screens/all-screens.tsx';
import { hrefOf, route } from './state/route.ts';
import { said } from './state/said.ts';
import { session } from './state/session.ts';
import { overview, shown } from './state/shown.ts';

/** Shows the whole page. */
export function App(): JSX.Element {
  if (session.value === 'none') return <NoSession />;
  return (
    <>
      <Frame />
      <main>
        <Limits />
        <Present />
      </main>
      <footer>
        <span>{overview.value !== undefined && `dms-operator ${overview.value.version}`}</span>
        <button type="button" class="link" onClick={() => (helpShown.value = true)}>
          Keys <kbd>?</kbd>
        </button>
      </footer>
      <p class="said" role="status" dir="auto">
        {said.value}
      </p>
      {wanted.value !== undefined && <ActionDialog about={wanted.value} />}
      {planWanted.value !== undefined && <PlanDialog target={planWanted.value} />}
      {helpShown.value && <KeyDialog />}
    </>
  );
}

/** Shows the screen of the route, or explains why it cannot be shown. */
function Present(): JSX.Element {
  const screen = screenOf(route.value);
  const { path, data, refusal } = shown.value;
  const fits =
    path.startsWith(`/api/${screen.name}`) && (screen.name !== 'deployment' || path === pathOf(route.value));
  const title = `${screen.title} · ${overview.value?.place ?? 'dms-operator'}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    if (!fits) return;
    scrollTo(0, 0);
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [screen.name, fits]);
  if (!fits) return <WaitingLine text="Reading…" />;
  if (refusal !== undefined) {
    return (
      <>
        <h1 tabIndex={-1}>{screen.title}</h1>
        <Empty title={refusal.message}>
          <a href={hrefOf('fleet')}>Show the fleet</a>
        </Empty>
      </>
    );
  }
  return screen.show(data, route.value.query);
}

function NoSession(): JSX.Element {
  return (
    <main class="alone">
      <h1>This page has no session</h1>
      <p>
        The address that the console prints opens a page once. Start the console again, and open the address
        that it prints.
      </p>
      <Command text="dms-operator console" />
    </main>
  );
}

function KeyDialog(): JSX.Element {
  return (
    <Dialog title="Keys" onClose={() => (helpShown.value = false)}>
      <dl class="keys">
        {KEYS.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(/\s+/u).map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="buttons">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
