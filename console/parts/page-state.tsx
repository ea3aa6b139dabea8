import { useState } from 'preact/hooks';
import { read } from '../api/call.ts';
import { forgetCredentials } from '../api/session.ts';
import type { Announcement, Me, ServiceInfo } from '../api/types.ts';
import { endedFor } from '../model/class-end.ts';
import { isOwn } from '../model/traffic-filter.ts';
import { makeClient } from '../state/clients.ts';
import { connection, exchanges, lastSeen, me } from '../state/learner.ts';
import { useLoad } from '../state/load.ts';
import { go, route } from '../state/route.ts';
import { Foreign, Words } from './contained.tsx';
import { Button, CopyButton, Failure, Notice, Time } from './parts.tsx';

/** What concerns every page: no connection, a client that is gone, what the trainer announces. */
export function PageState() {
  return (
    <div aria-live="polite">
      {connection.value === 'offline' && (
        <Notice mood="warn">
          The service does not answer. What you see may be old. This page tries again by itself; if it stays so, see
          whether L-Plate still runs.
        </Notice>
      )}
      {route.value.page !== 'trainer' && <OfLearner />}
    </div>
  );
}

/** What the client of this browser is told: on the pages of a trainer it would be taken for the class. */
function OfLearner() {
  const { announcement, note, warnings = [] } = me.value ?? {};
  return (
    <>
      {connection.value === 'gone' && <Gone />}
      {note && (
        <Notice mood="note">
          <p class="announcement">
            <strong>Your trainer to you:</strong> <Words text={note.text} />
          </p>
        </Notice>
      )}
      <Warned warnings={warnings.filter(({ kind }) => kind !== 'unattributed')} />
      {/^(?:lessons|traffic)$/.test(route.value.page) && <Uncounted />}
      {announcement && <Announced key={announcement.publishedAt} announcement={announcement} />}
    </>
  );
}

/** What makes it hard to get on, until it is hidden. */
function Warned({ warnings }: { readonly warnings: Me['warnings'] }) {
  const [hidden, setHidden] = useState('');
  const all = warnings.map(({ kind }) => kind).join();
  if (warnings.length === 0 || all === hidden) return null;
  return (
    <Notice mood="warn">
      <div class="row ends announced">
        <ul class="plain stack">
          {warnings.map(({ detail }) => (
            <li key={detail}>
              <Words text={detail} />
            </li>
          ))}
        </ul>
        <Button small onPress={() => setHidden(all)}>
          Hide
        </Button>
      </div>
    </Notice>
  );
}

/** A call that came after the last one of the learner's own, and of which nobody knows whose it is, until it is hidden. */
function Uncounted() {
  const [hidden, setHidden] = useState('');
  const call = me.value?.unattributed[0];
  const last = exchanges.value.find(isOwn);
  if (!call || call.at === hidden || (last && last.startedAt > call.at)) return null;
  const [, address = ''] = call.instead.split(' ');
  return (
    <Notice mood="warn">
      <div class="row ends">
        <span title={call.why}>
          <strong>Counts for nobody:</strong>{' '}
          <code>
            {call.method} <Foreign text={call.path} most={60} />
          </code>
          , <Time at={call.at} />
        </span>
        <span class="row">
          <CopyButton text={address} label="Copy the address that counts" />
          <Button small onPress={() => setHidden(call.at)}>
            Hide
          </Button>
        </span>
      </div>
    </Notice>
  );
}

/** Why there is no client any more, and how to go on. */
function Gone() {
  const { value, state } = useLoad(() => read<ServiceInfo>('/range/v1/service', { as: 'nobody' }), []);
  const [error, setError] = useState<Error>();
  if (state === 'loading' && !value) return null;
  const ended = endedFor(lastSeen(), value?.classEndedAt ?? null);
  const make = async () => {
    setError(undefined);
    try {
      await makeClient();
      go('/');
    } catch (reason) {
      setError(reason as Error);
    }
  };
  const useAnother = () => {
    forgetCredentials();
    go('/');
  };
  return (
    <Notice mood={ended ? 'note' : 'bad'}>
      {ended ? (
        <p>
          <strong>Your trainer has ended the class</strong> on <Time at={ended} withDate />. Your client was removed
          with all that it owned: policies, claims, webhooks, lessons and calls. To go on, make a new one.
        </p>
      ) : (
        <p>
          The service does not know the client of this browser: it was removed, by your trainer or after its time, its
          secret is not the right one, or this is another <span class="nowrap">L-Plate</span>.
        </p>
      )}
      {/* Start has the same two below. */}
      {route.value.page !== '' && (
        <p class="row">
          <Button kind="primary" onPress={make}>
            Make a new client
          </Button>
          <Button onPress={useAnother}>Use one I have</Button>
        </p>
      )}
      {error && <Failure error={error} />}
    </Notice>
  );
}

const foldedKey = 'lplate.folded-announcement';

/** It can be folded, and stays so in this browser until there is another one. */
function Announced({ announcement: { text, publishedAt } }: { readonly announcement: Announcement }) {
  const [folded, setFolded] = useState(localStorage.getItem(foldedKey) === publishedAt);
  const fold = () => {
    if (folded) localStorage.removeItem(foldedKey);
    else localStorage.setItem(foldedKey, publishedAt);
    setFolded(!folded);
  };
  return (
    <Notice mood="note">
      <div class="row ends announced">
        <div class="announcement" tabIndex={!folded && isLong(text) ? 0 : undefined}>
          <strong>
            From your trainer, <Time at={publishedAt} />
            {!folded && ': '}
          </strong>
          {!folded && <Words text={text} />}
        </div>
        <Button
          small
          onPress={fold}
          expanded={!folded}
          label={`${folded ? 'Show' : 'Hide'} what your trainer announces`}
        >
          {folded ? 'Show' : 'Hide'}
        </Button>
      </div>
    </Notice>
  );
}

/** Then it may scroll, and the keyboard must reach it. */
function isLong(text: string): boolean {
  return text.length > 200 || text.split('\n').length > 4;
}
