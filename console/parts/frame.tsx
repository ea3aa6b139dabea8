import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type NavigationLink, navigation } from '../../src/navigation.ts';
import { isAsked, lessons, openLesson, solved } from '../state/learner.ts';
import { route } from '../state/route.ts';
import { dismiss, toasts } from '../state/toasts.ts';
import { Words } from './contained.tsx';
import { PageState } from './page-state.tsx';
import { Button } from './parts.tsx';
import { SearchButton } from './search-button.tsx';
import { SignedIn } from './signed-in.tsx';
import { Theme } from './theme.tsx';

/** What stands around every page. The server's own pages have the same frame (`src/http/answers/page.ts`). */
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
        <SearchButton root="" />
        <span class="spread" />
        <SignedIn />
        <Theme />
      </header>
      <div class="frame">
        <Navigation />
        <main id="main" tabIndex={-1} class={isAsked.value ? 'unseen' : undefined}>
          <PageState />
          {children}
        </main>
      </div>
      <Toasts />
    </>
  );
}

const [first, ...others] = navigation;

function Navigation() {
  // On a phone it is a list that opens over the page.
  const rest = useRef<HTMLDivElement>(null);
  const shown = route.value;
  useEffect(() => rest.current?.hidePopover(), [shown]);
  return (
    <nav class="nav" aria-label="Pages">
      <ul class="nav-first">
        <Entries links={first?.links ?? []} />
      </ul>
      <button type="button" class="nav-more icon icon-more" popovertarget="more-pages">
        More
      </button>
      <div class="nav-rest" id="more-pages" popover="auto" ref={rest}>
        {others.map(({ title, links }) => (
          <div key={title}>
            <p class="nav-group">{title}</p>
            <ul>
              <Entries links={links} />
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

function Entries({ links }: { readonly links: readonly NavigationLink[] }) {
  const { page } = route.value;
  return links.map(({ name, path, icon }) => (
    <li key={path}>
      <a
        class={`icon icon-${icon}`}
        href={path.replace(/^\/#/, '#')}
        aria-current={path === `/#/${page}` ? 'page' : undefined}
      >
        <span class="name">{name}</span>
        {name === 'Lessons' && lessons.value.length > 0 && (
          <span class="count">
            {solved.value}/{lessons.value.length}
          </span>
        )}
      </a>
      {name === 'Lessons' && openLesson.value && (
        <a class="open-lesson" href={`#/lessons/${encodeURIComponent(openLesson.value.id)}`}>
          <span class="unseen">Open lesson: </span>
          <span class="name">
            <Words text={openLesson.value.title} />
          </span>
        </a>
      )}
    </li>
  ));
}

/** Messages that one toast shows: the last ones. */
const maxMessages = 4;

function Toasts() {
  return (
    <div class="toasts" aria-live="polite">
      {toasts.value.map(({ title, messages }) => (
        <div class="toast" key={title}>
          <div class="row ends">
            <strong>
              {title}
              {messages.length > 1 && `: ${messages.length}`}
            </strong>
            <Button small onPress={() => dismiss(title)} label="Dismiss">
              ×
            </Button>
          </div>
          {messages.slice(-maxMessages).map(({ text, href }) => (
            <p key={text}>
              {href ? (
                <a href={href}>
                  <Words text={text} />
                </a>
              ) : (
                <Words text={text} />
              )}
            </p>
          ))}
        </div>
      ))}
    </div>
  );
}
