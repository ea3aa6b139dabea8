import { useState } from 'preact/hooks';
import { Words } from '../../parts/contained.tsx';
import { Button, Failure } from '../../parts/parts.tsx';
import { changes } from './jump.ts';
import { loadOwned, type Snapshot } from './owned.ts';

const maxShown = 50;

/** What a jump did to what was there before it. `now`: the learner's clock after it, in milliseconds since 1970. */
export function Changes({ before, now }: { readonly before: Snapshot; readonly now: number }) {
  const [found, setFound] = useState<readonly string[]>();
  const [error, setError] = useState<Error>();
  const look = async () => {
    setError(undefined);
    try {
      setFound(changes(before, await loadOwned(), now));
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <div aria-live="polite">
      {found?.length === 0 && <p>Nothing changed so far. Claims and webhooks may need a moment.</p>}
      {found && found.length > 0 && (
        <ul>
          {found.slice(0, maxShown).map((sentence) => (
            <li key={sentence}>
              <Words text={sentence} />
            </li>
          ))}
          {found.length > maxShown && <li>And {found.length - maxShown} more.</li>}
        </ul>
      )}
      {error && <Failure error={error} />}
      <Button onPress={look}>{found ? 'Look again' : 'What did it cause?'}</Button>
    </div>
  );
}
