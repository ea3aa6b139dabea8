import { useRef, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { credentials, origin } from '../../api/session.ts';
import type { MyLesson } from '../../api/types.ts';
import { Button, Code, Failure } from '../../parts/parts.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { lessonChanged } from '../../state/learner.ts';
import { type Shell, settings, variablesIn } from './shell-variables.ts';
import { TextWithCommands } from './text.tsx';

interface HintsProps {
  readonly lesson: MyLesson;
  /** Whether there is a client that can take one. */
  readonly mine: boolean;
}

/** The hints that were taken, and the next one for who wants it. */
export function Hints({ lesson: { id, hints, hintsTaken }, mine }: HintsProps) {
  const [error, setError] = useState<Error>();
  const heading = useRef<HTMLHeadingElement>(null);
  const take = async () => {
    setError(undefined);
    try {
      const { text } = await call('POST', `/range/v1/me/lessons/${encodeURIComponent(id)}/hints`);
      const lesson: MyLesson = JSON.parse(text);
      lessonChanged(lesson);
      // The button goes with the last one.
      if (lesson.hintsTaken.length === hints) heading.current?.focus();
    } catch (reason) {
      setError(reason as Error);
    }
  };
  if (hints === 0) return null;
  return (
    <section aria-label="Hints">
      <h2 tabIndex={-1} ref={heading}>
        Hints
      </h2>
      <ol class="hints" aria-live="polite">
        {hintsTaken.map((hint, at) => (
          <li key={hint}>
            <TextWithCommands text={hint} number={at + 1} />
          </li>
        ))}
      </ol>
      <SetOnce hints={hintsTaken} />
      {error && <Failure error={error} />}
      {mine && hintsTaken.length < hints && (
        <Button onPress={take}>{`Show a hint (${hintsTaken.length + 1} of ${hints})`}</Button>
      )}
      {mine && hintsTaken.length === hints && <p class="muted small">These are all hints of this lesson.</p>}
      {!mine && (
        <p class="muted">
          {hints === 1 ? 'There is one hint' : `There are ${hints} hints`}, from a nudge to nearly the answer.
        </p>
      )}
    </section>
  );
}

const shells = [
  ['sh', 'bash, zsh'],
  ['powershell', 'PowerShell'],
] as const;

/** What commands of the hints take as given. */
function SetOnce({ hints }: { readonly hints: readonly string[] }) {
  const [shell, setShell] = useState<Shell>(navigator.userAgent.includes('Windows') ? 'powershell' : 'sh');
  const names = variablesIn(hints);
  const text = settings(names, { origin, ...credentials.value }, shell);
  if (text === '') return null;
  return (
    <div class="card">
      <h3>Set these once in your terminal</h3>
      <p class="small muted">The commands above use them. They are the address of L-Plate and your own credentials.</p>
      <Tabs label="Your terminal" tabs={shells} chosen={shell} onChoose={setShell}>
        <Code text={text} label="Variables to set" />
        {shell === 'powershell' && (
          <p class="small muted">
            The commands need PowerShell 7.3 or newer. On Windows write <code>curl.exe</code> where they have{' '}
            <code>curl</code>. Where a variable stands between single quotes, as in <code>'$RANDOM'</code>, write its
            value in place of both.
          </p>
        )}
      </Tabs>
    </div>
  );
}
