import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from './parts.tsx';

/** A page whose script is loaded when it is first shown. After that it is there at once. */
export function lazy<Props extends object = object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  let kept: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
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
      return <Loaded {...props} />;
    }
    return error ? <Failure error={error} onAgain={() => setError(undefined)} /> : <p class="muted">Loading …</p>;
  };
}
