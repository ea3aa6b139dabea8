import type { ComponentChildren } from 'preact';
import type { Answer, Problem } from '../../api/call.ts';
import { problemIn } from '../../api/problem.ts';
import { Code, Status } from '../../parts/parts.tsx';

/** What the service answered: its status, some of its headers, its body. */
export function AnswerView({
  title,
  answer,
  text,
  headers = [],
  children,
}: {
  readonly title: string;
  readonly answer: Answer;
  /** The body as it is shown, if that is not how it came. */
  readonly text?: string;
  /** Names of headers to show. */
  readonly headers?: readonly string[];
  /** What it means. */
  readonly children?: ComponentChildren;
}) {
  const shown = headers.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  return (
    <section aria-label={title}>
      <h3>
        {title} <Status status={answer.status} />
      </h3>
      {children}
      {shown.length > 0 && <p class="small mono wrapped">{shown.join('\n')}</p>}
      <Code label={`The body of ${title}`} text={text ?? indented(answer.text)} />
    </section>
  );
}

/** The problem of a refusal; undefined for any other answer. */
export function problemOf({ status, text }: Answer): Problem | undefined {
  return status < 400 ? undefined : problemIn(text);
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
