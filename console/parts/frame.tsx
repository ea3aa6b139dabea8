import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { navigation } from '../../src/navigation.ts';
import { credentials, forgetCredentials } from '../api/session.ts';
import { showCurrent } from '../state/current-place.ts';
import { connection, lessons, me, solved } from '../state/learner.ts';
import { route } from '../state/route.ts';
import { chooseTheme, chosenTheme, themes } from '../state/theme.ts';
import { dismiss, toasts } from '../state/toasts.ts';
import { Words } from './foreign.tsx';
import { Button, Notice, Time } from './parts.tsx';

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
        <Who />
        <Theme />
      </header>
      <div class="frame">
        <Navigation />
        <main id="main" tabIndex={-1}>
          <State />
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
                    <span class="muted small">
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

/** Whose page it is, and what time it is for them, if that is not the real time. */
function Who() {
  const client = credentials.value;
  if (!client) return null;
  const { nickname, clock, drills = [] } = me.value ?? {};
  return (
    <span class="row small who">
      {drills.length > 0 && (
        <a class="badge warn" href="#/time">
          {drills.length === 1 ? `Drill: ${drills[0]?.name}` : `${drills.length} drills`}
        </a>
      )}
      {clock && clock.aheadSeconds > 0 && (
        <a class="badge note" href="#/time">
          Your clock: <Time at={clock.now} withDate />
        </a>
      )}
      <span title={client.clientId}>
        <Words text={nickname ?? client.clientId.slice(0, 13)} />
      </span>
    </span>
  );
}

/** What concerns every page: no connection, a client that is gone, what the trainer announces. */
function State() {
  const announcement = me.value?.announcement;
  return (
    <div aria-live="polite">
      {connection.value === 'offline' && (
        <Notice mood="warn">
          The service does not answer. What you see may be old. This page tries again by itself; if it stays so, see
          whether L-Plate still runs.
        </Notice>
      )}
      {connection.value === 'gone' && (
        <Notice mood="bad">
          <p>
            The service does not know the client of this browser: it was removed after a day without use, its secret is
            not the right one, or this is another L-Plate.
          </p>
          <Button onPress={forgetCredentials}>Forget it and begin anew</Button>
        </Notice>
      )}
      {announcement && (
        <Notice mood="note">
          <strong>From your trainer</strong>, <Time at={announcement.publishedAt} />
          <p class="announcement" tabIndex={isLong(announcement.text) ? 0 : undefined}>
            <Words text={announcement.text} />
          </p>
        </Notice>
      )}
    </div>
  );
}

/** Then it may scroll, and the keyboard must reach it. */
function isLong(text: string): boolean {
  return text.length > 200 || text.split('\n').length > 4;
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
