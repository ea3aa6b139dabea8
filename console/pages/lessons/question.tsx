import { useRef, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { AnswerResult, MyLesson } from '../../api/types.ts';
import { isSolved } from '../../model/lesson-path.ts';
import { Button, Failure, Field, Notice } from '../../parts/parts.tsx';
import { lessonChanged } from '../../state/learner.ts';
import { answerOf } from './answers.ts';
import { Text } from './text.tsx';

interface QuestionProps {
  readonly lesson: MyLesson;
  readonly question: string;
  /** Whether there is a client that can answer. */
  readonly mine: boolean;
}

/** What a lesson asks, and a field for the answer. What is wrong with an answer stands below it. */
export function Question({ lesson, question, mine }: QuestionProps) {
  const [typed, setTyped] = useState('');
  const [advice, setAdvice] = useState<string>();
  const [error, setError] = useState<Error>();
  const heading = useRef<HTMLHeadingElement>(null);
  const json = lesson.answerType === 'json';
  const send = async () => {
    setError(undefined);
    setAdvice(undefined);
    const answer = answerOf(typed, lesson.answerType);
    if ('fault' in answer) return setAdvice(answer.fault);
    try {
      const { text } = await call('POST', '/range/v1/me/answers', {
        json: { lesson: lesson.id, answer: answer.value },
      });
      const result: AnswerResult = JSON.parse(text);
      setAdvice(result.advice ?? undefined);
      if (result.lesson) lessonChanged(result.lesson);
      // The field goes when it is solved.
      if (result.correct) heading.current?.focus({ preventScroll: true });
    } catch (reason) {
      setError(reason as Error);
    }
  };
  return (
    <section aria-label="Question">
      <h2 tabIndex={-1} ref={heading}>
        Question
      </h2>
      <p>
        <Text text={question} />
      </p>
      {mine && !isSolved(lesson) && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <Field
            label="Your answer"
            value={typed}
            onInput={setTyped}
            lines={json ? 4 : 1}
            mono
            about={json ? 'In the form that the question shows.' : undefined}
          />
          <Button onPress={send}>Send the answer</Button>
        </form>
      )}
      <div role="status">
        {advice !== undefined && !isSolved(lesson) && (
          <Notice mood="warn">
            <p>
              <strong>Not yet.</strong> <Text text={advice} />
            </p>
          </Notice>
        )}
      </div>
      {error && <Failure error={error} />}
    </section>
  );
}
