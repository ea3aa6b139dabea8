import { useMemo, useState } from 'preact/hooks';
import { call, read } from '../../api/call.ts';
import { credentials, origin } from '../../api/session.ts';
import type { Exchange, ExchangeSummary } from '../../api/types.ts';
import { visible } from '../../model/line.ts';
import { sendAddress } from '../../model/send-address.ts';
import { withoutPrefix } from '../../model/traffic-filter.ts';
import { downloadText } from '../../parts/download.ts';
import { Page } from '../../parts/page.tsx';
import { Button, CopyButton, Failure, LoadingPart } from '../../parts/parts.tsx';
import { useLoad } from '../../state/load.ts';
import { toast } from '../../state/toasts.ts';
import { addressOf, exchangePath } from './addresses.ts';
import { Facts } from './facts.tsx';
import { Whole } from './whole.tsx';

interface ExchangePageProps {
  readonly id: string;
  /** What the list has of it, if it is there. */
  readonly summary: ExchangeSummary | undefined;
  readonly onCompare: () => void;
}

/** Characters of a URL in a heading. */
const longestUrl = 100;

export function ExchangePage({ id, summary, onCompare }: ExchangePageProps) {
  // A stream that was open is read again when it has ended.
  const { value, error, again } = useLoad(() => read<Exchange>(exchangePath(id)), [id, summary?.end]);
  // While the next one is loaded, the one before is still there.
  const exchange = value?.id === id ? value : undefined;
  const known = exchange ?? summary;
  // The list goes on changing; this is drawn again only when it has changed itself.
  const whole = useMemo(() => exchange && <Whole exchange={exchange} />, [exchange]);
  return (
    <Page title={known ? titleOf(known) : 'Call'} actions={known && <Actions exchange={known} onCompare={onCompare} />}>
      {known && <Facts exchange={known} />}
      {error && <Failure error={error} onAgain={again} />}
      {whole ?? (!error && <LoadingPart />)}
    </Page>
  );
}

function titleOf({ method, url }: ExchangeSummary): string {
  const path = visible(withoutPrefix(url));
  return `${method} ${path.length > longestUrl ? `${path.slice(0, longestUrl)} …` : path}`;
}

interface ActionsProps {
  readonly exchange: ExchangeSummary | Exchange;
  readonly onCompare: () => void;
}

/** The call as a program. What writes it is loaded when it is wanted. */
async function codeOf(language: 'javascript' | 'python', exchange: Exchange): Promise<string> {
  const [{ draftFrom, requestOf }, { requestCode }] = await Promise.all([
    import('../../model/draft.ts'),
    import('../../model/request-code.ts'),
  ]);
  return requestCode(language, requestOf(draftFrom(exchange), origin, credentials.peek()?.clientId));
}

const setFirst = 'Set TOKEN first: Start shows how.';

function Actions({ exchange, onCompare }: ActionsProps) {
  const { id, kind } = exchange;
  const [more, setMore] = useState(false);
  const textOf = async (form: string) => (await call('GET', `${exchangePath(id)}/${form}`)).text;
  const save = async () => {
    try {
      downloadText(`exchange-${id}.har`, await textOf('har'));
    } catch (error) {
      toast('Not saved', (error as Error).message);
    }
  };
  return (
    <>
      {kind !== 'delivery' && (
        <a class="button primary small" href={`#${sendAddress({ from: id })}`}>
          Edit and send
        </a>
      )}
      <CopyButton label="Copy as curl" text={() => textOf('curl')} then={setFirst} />
      <Button small expanded={more} label="More for this call" onPress={() => setMore(!more)}>
        More
      </Button>
      {more && (
        <>
          {kind !== 'delivery' && 'request' in exchange && (
            <>
              <CopyButton label="Copy as JavaScript" text={() => codeOf('javascript', exchange)} then={setFirst} />
              <CopyButton label="Copy as Python" text={() => codeOf('python', exchange)} then={setFirst} />
            </>
          )}
          <Button small onPress={save}>
            Save as HAR
          </Button>
          <CopyButton label="Copy request id" text={id} />
          <CopyButton label="Copy link" text={`${origin}/#${addressOf('', id)}`} />
          <Button small onPress={onCompare}>
            Compare with another
          </Button>
        </>
      )}
    </>
  );
}
