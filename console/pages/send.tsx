import { useEffect, useState } from 'preact/hooks';
import { read } from '../api/call.ts';
import type { Exchange } from '../api/types.ts';
import { type Draft, draftFrom } from '../model/draft.ts';
import { Page } from '../parts/page.tsx';
import { Failure, LoadingPart } from '../parts/parts.tsx';
import { keepFor } from '../state/kept.ts';
import { replace, route } from '../state/route.ts';
import { Composer } from './send/composer.tsx';
import { draftForRoute } from './send/own-id.ts';

/** The page for calls of the learner's own. Its address may say what to begin with. */
export default function Send() {
  const { query } = route.value;
  const asked = query.toString();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    setError(undefined);
    if (asked === '') return;
    const begin = (draft: Draft) => {
      keepFor('send', draft);
      // Else what is written next would be gone when one comes back.
      replace('/send');
    };
    let isLatest = true;
    draftAsked(query).then(
      (draft) => isLatest && begin(draft),
      (reason) => isLatest && setError(reason),
    );
    return () => {
      isLatest = false;
    };
  }, [asked]);
  return (
    <Page
      title="Send"
      about="Write a call, send it from here, and see the answer. It counts as your own, as a call of your program does."
    >
      {error && <Failure error={error} />}
      {asked === '' || error ? <Composer /> : <LoadingPart />}
    </Page>
  );
}

async function draftAsked(query: URLSearchParams): Promise<Draft> {
  const [from, method = 'GET', path = '/'] = ['from', 'method', 'path'].map((name) => query.get(name) ?? undefined);
  if (from !== undefined) return draftFrom(await read<Exchange>(`/range/v1/me/exchanges/${encodeURIComponent(from)}`));
  return draftForRoute({ method, path });
}
