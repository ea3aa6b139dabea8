import { useRef } from 'preact/hooks';
import { read } from '../../api/call.ts';
import { credentials } from '../../api/session.ts';
import type { Lesson, MyLesson, Page } from '../../api/types.ts';
import { untouched } from '../../model/lesson-path.ts';
import { connection, lessons } from '../../state/learner.ts';
import { useLoad } from '../../state/load.ts';

/** Whether there is a client whose state can be shown. */
export const isSomebody = () => credentials.value !== undefined && connection.value !== 'gone';

/** The lessons with the learner’s state; for somebody without a client those there are. `value` is undefined until they are there. */
export function useLessons() {
  const mine = isSomebody();
  const open = useLoad<MyLesson[]>(
    async () =>
      mine ? [] : (await read<Page<Lesson>>('/range/v1/lessons?pageSize=500', { as: 'nobody' })).items.map(untouched),
    [mine],
  );
  if (!mine) return { value: open.value?.length ? open.value : undefined, error: open.error, again: open.again };
  return { value: lessons.value.length > 0 ? lessons.value : undefined, error: undefined, again: open.again };
}

/** Whether something became true while it was shown: what was so from the start is no news. */
export function useJust(isSo: boolean): boolean {
  const before = useRef(isSo);
  const just = useRef(false);
  if (isSo && !before.current) just.current = true;
  if (!isSo) just.current = false;
  before.current = isSo;
  return just.current;
}
