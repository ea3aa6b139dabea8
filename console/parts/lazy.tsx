import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from './parts.tsx';

/** A page whose script is loaded when it is first shown. After that it is there at once. */
export function lazy(load: () => Promise<{ default: ComponentType }>): ComponentType {
  let kept: ComponentType | undefined;
  return function Lazy() {
    const [, setRound] = useState(0);
    const [error, setError] = useState<Error>();
    useEffect(() => {
      if (kept || error) return;
      load().then(
        (module) => {
          kept = module.default;
          setRound((round) => round + 1);
        },
        () =>
          setError(
            new Error(
              'This part of the page could not be loaded. The service may have been updated: load the page again.',
            ),
          ),
      );
    }, [error]);
    if (kept) {
      const Loaded = kept;
      return <Loaded />;
    }
    return error ? <Failure error={error} onAgain={() => setError(undefined)} /> : <p class="muted">Loading …</p>;
  };
}
