import { firstDraft } from '../../model/draft.ts';
import { Show } from '../../parts/parts.tsx';
import { useLoad } from '../../state/load.ts';
import { Composer } from './composer.tsx';
import { draftForRoute } from './own-id.ts';

export interface BesideProps {
  /** Where what was written is kept while the page is open. */
  readonly keep: string;
  /** What it begins with, if that is known. */
  readonly wanted: { readonly method: string; readonly path: string } | undefined;
}

/** The composer within another page. */
export default function ComposerBeside({ keep, wanted }: BesideProps) {
  const loaded = useLoad(async () => (wanted ? draftForRoute(wanted) : firstDraft), [keep]);
  return <Show loaded={loaded}>{(draft) => <Composer keep={keep} start={draft} />}</Show>;
}
