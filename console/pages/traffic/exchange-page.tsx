import { useEffect, useMemo } from 'preact/hooks';
import { origin } from '../../api/session.ts';
import type { Exchange, ExchangeSummary } from '../../api/types.ts';
import { visible } from '../../model/line.ts';
import { sendAddress } from '../../model/send-address.ts';
import { queryOfFilter, type TrafficFilter, withoutPrefix } from '../../model/traffic-filter.ts';
import { downloadText } from '../../parts/download.ts';
import { useKeys } from '../../parts/keys.ts';
import { Loading } from '../../parts/loading.tsx';
import { Page } from '../../parts/page.tsx';
import { Button, CopyButton, Failure } from '../../parts/parts.tsx';
import { useLoad } from '../../state/load.ts';
import { go } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { type Chosen, ChosenForComparison } from './chosen.tsx';
import { Facts } from './facts.tsx';
import { addressOf, type ExchangeSource } from './source.ts';
import { Whole } from './whole.tsx';

interface ExchangePageProps {
  readonly source: ExchangeSource;
  readonly id: string;
  /** What the list has of it, if it is there. */
  readonly summary: ExchangeSummary | undefined;
  /** The list that one came from: the one before and the one after are in it. */
  readonly among: readonly ExchangeSummary[];
  readonly filter: TrafficFilter;
  readonly chosen: Chosen;
  /** Is called with the id. */
  readonly onOpened: (id: string) => void;
}

/** Characters of a URL in a heading. */
const longestUrl = 100;

export function ExchangePage({ source, id, summary, among, filter, chosen, onOpened }: ExchangePageProps) {
  // A stream that was open is read again when it has ended.
  const { value, error, again } = useLoad(() => source.load(id), [source, id, summary?.end]);
  // While the next one is loaded, the one before is still there.
  const exchange = value?.id === id ? value : undefined;
  const at = among.findIndex((each) => each.id === id);
  const [newer, older] = [at < 0 ? undefined : among[at - 1], at < 0 ? undefined : among[at + 1]];
  const query = queryOfFilter(filter);
  const open = (one: ExchangeSummary | undefined) => one && go(addressOf(source, one.id, query));
  useKeys({ j: () => open(older), k: () => open(newer) });
  useEffect(() => onOpened(id), [id]);

  const known = exchange ?? summary;
  // The list goes on changing; this is drawn again only when it has changed itself.
  const whole = useMemo(() => exchange && <Whole exchange={exchange} />, [exchange]);
  return (
    <Page title={known ? titleOf(known) : 'Exchange'}>
      <div class="row ends exchange-bar">
        <div class="row">
          <a href={`#${addressOf(source, undefined, query)}`}>All exchanges</a>
          <Button small disabled={!newer} onPress={() => open(newer)}>
            Newer <kbd>k</kbd>
          </Button>
          <Button small disabled={!older} onPress={() => open(older)}>
            Older <kbd>j</kbd>
          </Button>
        </div>
        {known && <Actions source={source} exchange={known} chosen={chosen} />}
      </div>
      <ChosenForComparison chosen={chosen} />
      {known && <Facts exchange={known} />}
      {error && <Failure error={error} onAgain={again} />}
      {whole ??
        (!error && (
          <p>
            <Loading />
          </p>
        ))}
    </Page>
  );
}

function titleOf({ method, url, status }: ExchangeSummary): string {
  const path = visible(withoutPrefix(url));
  const shown = path.length > longestUrl ? `${path.slice(0, longestUrl)} …` : path;
  return `${method} ${shown}: ${status === 0 ? 'no answer' : status}`;
}

interface ActionsProps {
  readonly source: ExchangeSource;
  readonly exchange: ExchangeSummary | Exchange;
  readonly chosen: Chosen;
}

function Actions({ source, exchange: { id, kind }, chosen }: ActionsProps) {
  const { curl, har } = source;
  const save = async () => {
    try {
      if (har) downloadText(`exchange-${id}.har`, await har(id), 'application/json');
    } catch (error) {
      toast('Not saved', (error as Error).message);
    }
  };
  return (
    <div class="row">
      {curl && kind !== 'delivery' && (
        <a class="button small" href={`#${sendAddress({ from: id })}`}>
          Edit and send
        </a>
      )}
      {curl && <CopyButton label="Copy as curl" text={() => curl(id)} then="Set TOKEN first: Start shows how." />}
      {har && (
        <Button small onPress={save}>
          Save as HAR
        </Button>
      )}
      <CopyButton label="Copy link" text={`${origin}/#${addressOf(source, id)}`} />
      {chosen.first?.id !== id && (
        <Button small onPress={() => chosen.compare(id)}>
          Compare
        </Button>
      )}
    </div>
  );
}
