import { render } from 'preact';
import { App } from './app.tsx';
import { followKeys } from './keys.ts';
import { pathOf } from './screens/all-screens.tsx';
import { route } from './state/route.ts';
import { openSession, session } from './state/session.ts';
import { keepShown } from './state/shown.ts';

await openSession();
if (session.value === 'open') {
  keepShown(() => pathOf(route.value));
  followKeys();
}
render(<App />, document.body);
