import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { credentials } from '../api/session.ts';
import { visible } from '../model/line.ts';
import { makeClient } from '../state/clients.ts';
import { connection, isAsked } from '../state/learner.ts';
import { visits } from '../state/route.ts';
import { Words } from './contained.tsx';
import { Form } from './form.tsx';
import { Notice } from './parts.tsx';

interface PageProps {
  readonly title: string;
  /** What the title ends with: a line breaks before it rather than within it. */
  readonly id?: string;
  /** In a sentence or two. */
  readonly about?: ComponentChildren;
  /** Beside the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Whether a link was followed or a button pressed since the page was loaded. */
let isUsed = false;
const use = () => {
  isUsed = true;
};
addEventListener('click', use, { capture: true });

/** A page with its title, which takes the focus, so that a screen reader says where one is. */
export function Page({ title, id = '', about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Not at the page that one came with: the browser is at its top anyway.
  const focus = () => (isUsed || visits.peek() > 0) && heading.current?.focus({ preventScroll: true });
  // Before anybody can be in a field of the new page, whose focus it would take.
  useLayoutEffect(() => {
    document.title = `${visible(`${title} ${id}`.trim())} – L-Plate`;
    focus();
  }, [title, id]);
  // A link within the page may have gone by being followed; that of a new client could not be seen before.
  useEffect(() => {
    if (document.activeElement === document.body) focus();
  }, [visits.value, isAsked.value]);
  return (
    <>
      <div class="row ends page-head">
        <h1 tabIndex={-1} ref={heading}>
          <Words text={title} />
          {id && (
            <>
              {' '}
              <span class="together">
                <Words text={id} />
              </span>
            </>
          )}
        </h1>
        {actions && <div class="row">{actions}</div>}
      </div>
      {about && <p class="muted prose">{about}</p>}
      {children}
    </>
  );
}

/** For what goes away by being used: what had the focus must not leave it nowhere. */
export function focusTitle(): void {
  document.querySelector('h1')?.focus({ preventScroll: true });
}

/** For pages that show what a client has: until there is one, it is made there. */
export function NeedsClient({ children }: { readonly children: ComponentChildren }) {
  // Of one that is gone the top of the page says so.
  if (connection.value === 'gone') return null;
  if (credentials.value) return <>{children}</>;
  return <MakeClient>This page shows what your client does. You have none yet.</MakeClient>;
}

/** For who has no client: why one is needed. With the one that is made here they stay on the page. */
export function MakeClient({ children }: { readonly children: ComponentChildren }) {
  return (
    <Notice mood="note">
      <Form submit="Make a client" onSubmit={makeClient} beside={<a href="#/">I have one, or a code</a>}>
        <p>{children}</p>
      </Form>
    </Notice>
  );
}
