import type { ComponentType } from 'preact';
import { Start } from './pages/start.tsx';
import { Frame } from './parts/frame.tsx';
import { lazy } from './parts/lazy.tsx';
import { Page } from './parts/page.tsx';
import { route } from './state/route.ts';

/** The first segment after `#/` and the page that it names. What a first visit does not need is loaded when it is opened. */
const pages: Record<string, ComponentType> = {
  '': Start,
  lessons: lazy(() => import('./pages/lessons.tsx')),
  traffic: lazy(() => import('./pages/traffic.tsx')),
  send: lazy(() => import('./pages/send.tsx')),
  policies: lazy(() => import('./pages/policies.tsx')),
  claims: lazy(() => import('./pages/claims.tsx')),
  events: lazy(() => import('./pages/events.tsx')),
  webhooks: lazy(() => import('./pages/webhooks.tsx')),
  people: lazy(() => import('./pages/people.tsx')),
  time: lazy(() => import('./pages/time.tsx')),
  workbench: lazy(() => import('./pages/workbench.tsx')),
  guides: lazy(() => import('./pages/guides.tsx')),
  verify: lazy(() => import('./pages/verify.tsx')),
  join: lazy(() => import('./pages/join.tsx')),
  style: lazy(() => import('./pages/style.tsx')),
  trainer: lazy(() => import('./pages/trainer.tsx')),
};

export function App() {
  const { page } = route.value;
  const Shown = (Object.hasOwn(pages, page) && pages[page]) || NotFound;
  return (
    <Frame>
      <Shown />
    </Frame>
  );
}

function NotFound() {
  return (
    <Page title="There is no such page">
      <p>
        <a href="#/">Go to the page Start</a>, or choose one in the navigation.
      </p>
    </Page>
  );
}
