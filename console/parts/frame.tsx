import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { navigation } from '../../src/navigation.ts';
import { credentials } from '../api/session.ts';
import { showCurrent } from '../state/current-place.ts';
import { connection, lessons, me, solved } from '../state/learner.ts';
import { route } from '../state/route.ts';
import { chooseTheme, chosenTheme, themes } from '../state/theme.ts';
import { dismiss, toasts } from '../state/toasts.ts';
import { Words } from './foreign.tsx';
import { PageState } from './page-state.tsx';
import { Button } from './parts.tsx';
import { Who } from './who.tsx';

/** What stands around every page. The server's own pages have the same frame (`src/http/page.ts`). */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <button type="button" class="skip button" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href="#/">
          <span class="plate" aria-hidden="true">
            L
          </span>
          L-Plate
        </a>
        <span class="spread" />
        <Mine />
        <Theme />
      </header>
      <div class="frame">
        <Navigation />
        <main id="main" tabIndex={-1}>
          <PageState />
          {children}
        </main>
      </div>
      <Toasts />
    </>
  );
}

function Navigation() {
  const { page } = route.value;
  // The number of lessons makes the line longer.
  useEffect(showCurrent, [page, lessons.value.length > 0]);
  return (
    <nav class="nav" aria-label="Pages">
      {navigation.map(({ title, places }) => (
        <div key={title} class="nav-part">
          {title && <p class="nav-group">{title}</p>}
          <ul>
            {places.map(({ name, path }) => (
              <li key={path}>
                <a href={path.replace(/^\/#/, '#')} aria-current={path === `/#/${page}` ? 'page' : undefined}>
                  {name}
                  {name === 'Lessons' && lessons.value.length > 0 && (
                    <span class="count">
                      {solved.value}/{lessons.value.length}
                    </span>
                  )}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Mine() {
  const client = credentials.value;
  if (!client || connection.value === 'gone') return null;
  return <Who clientId={client.clientId} known={me.value} />;
}

function Theme() {
  const [chosen, setChosen] = useState(chosenTheme);
  const choose = (name: string) => {
    chooseTheme(name);
    setChosen(name);
  };
  return (
    <select class="theme" aria-label="Colours" value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
      {themes.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  );
}

function Toasts() {
  return (
    <div class="toasts" aria-live="polite">
      {toasts.value.map(({ id, title, text, href }) => (
        <div class="toast" key={id}>
          <div class="row ends">
            <strong>{title}</strong>
            <Button small onPress={() => dismiss(id)} label="Dismiss">
              ×
            </Button>
          </div>
          {href ? (
            <a href={href}>
              <Words text={text} />
            </a>
          ) : (
            <Words text={text} />
          )}
        </div>
      ))}
    </div>
  );
}
