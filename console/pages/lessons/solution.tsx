import { signal } from '@preact/signals';
import { read } from '../../api/call.ts';
import type { MyLesson, Solution } from '../../api/types.ts';
import { Code, Show } from '../../parts/parts.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useLoad } from '../../state/load.ts';
import { Text } from './text.tsx';

type Part = Solution['code'][number];

/** The language that was chosen last: whoever reads one lesson in it wants the next one in it, too. */
const language = signal<Part['language']>('JavaScript');

/** What stays of a lesson that is solved. */
export function SolutionPart({ id, solvedAt }: Pick<MyLesson, 'id' | 'solvedAt'>) {
  const path = `/range/v1/me/lessons/${encodeURIComponent(id)}/solution`;
  const loaded = useLoad(() => read<Solution>(path), [path, solvedAt]);
  return (
    <Show loaded={loaded}>
      {({ remember, without, code }) => (
        <>
          {remember !== null && (
            <>
              <h2>Remember</h2>
              <p>
                <Text text={remember} />
              </p>
            </>
          )}
          {without !== null && (
            <>
              <h2>What goes wrong without it</h2>
              <p>
                <Text text={without} />
              </p>
            </>
          )}
          {code.length > 0 && <InCode code={code} />}
        </>
      )}
    </Show>
  );
}

function InCode({ code }: Pick<Solution, 'code'>) {
  const shown = code.find((part) => part.language === language.value) ?? (code[0] as Part);
  return (
    <>
      <h2>In code</h2>
      <Tabs
        label="Language"
        tabs={code.map((part) => [part.language, part.language] as const)}
        chosen={shown.language}
        onChoose={(chosen) => {
          language.value = chosen;
        }}
      >
        <Code text={shown.text} label={`This lesson in ${shown.language}`} />
        <p class="small muted">
          A part of <code>{shown.file}</code>, a program that solves the lessons. What is not defined here is in its
          other parts.
        </p>
      </Tabs>
    </>
  );
}
