import { useState } from 'preact/hooks';
import type { Policy } from '../../../src/insurer/policy.ts';
import { type Answer, call } from '../../api/call.ts';
import type { Page } from '../../api/types.ts';
import { Button, Failure, Field } from '../../parts/parts.tsx';
import { useKept } from '../../state/kept.ts';
import { AnswerView, problemOf } from './answer.tsx';
import { linksOf } from './links.ts';

const relations = ['first', 'prev', 'next', 'last'] as const;

/** Goes through the pages of the policies by their `Link` header. */
export function PagingTool() {
  const [page, setPage] = useKept('paging.page', '1');
  const [pageSize, setPageSize] = useKept('paging.size', '5');
  const [shown, setShown] = useState<{ readonly url: string; readonly answer: Answer }>();
  const [error, setError] = useState<Error>();
  const go = async (url: string) => {
    setError(undefined);
    try {
      setShown({ url, answer: await call('GET', url, { anyStatus: true }) });
      setPage(new URLSearchParams(url.split('?')[1]).get('page') ?? '1');
    } catch (reason) {
      setError(reason as Error);
    }
  };
  const links = linksOf(shown?.answer.headers.get('Link') ?? null);
  return (
    <section aria-labelledby="paging">
      <h2 id="paging">Policies, by page</h2>
      <p class="prose">
        A list comes in pages. The header Link has the addresses of the others, so a program need not build them. Where
        there is no next, it was the last page.
      </p>
      <div class="tiles parameters">
        <Field label="page" type="number" min={1} value={page} onInput={setPage} />
        <Field label="pageSize (1 to 500)" type="number" min={1} max={500} value={pageSize} onInput={setPageSize} />
      </div>
      <div class="row">
        <Button kind="primary" onPress={() => go(`/insurer/v1/policies?${new URLSearchParams({ page, pageSize })}`)}>
          Read the page
        </Button>
        {relations.map((relation) => {
          const target = links[relation];
          return (
            <Button key={relation} disabled={!target} onPress={() => target && go(target)}>
              {relation}
            </Button>
          );
        })}
      </div>
      <div aria-live="polite" class="apart">
        {error && <Failure error={error} />}
        {shown && (
          <AnswerView title="The page" answer={shown.answer} headers={['Link']}>
            <p>
              <code>GET {shown.url}</code>
            </p>
            <p>{told(shown.answer)}</p>
          </AnswerView>
        )}
      </div>
    </section>
  );
}

function told(answer: Answer): string {
  const problem = problemOf(answer);
  if (problem) return problem.detail;
  try {
    const { items, page, totalItems, totalPages }: Page<Policy> = JSON.parse(answer.text);
    if (totalItems === 0) return 'You have no policies. Page 1 of an empty list has no items, which is no error.';
    if (items.length === 0) return `There are ${totalPages} pages. A page after the last one has no items.`;
    return `Page ${page} of ${totalPages}: ${items.length} of ${totalItems} policies.`;
  } catch {
    return 'The body is no list.';
  }
}
