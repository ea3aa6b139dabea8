import { useRef } from 'preact/hooks';
import { credentials, origin } from '../../api/session.ts';
import { type Draft, draftOf, faultsOf, firstDraft, requestOf } from '../../model/draft.ts';
import { type Route, routeFor } from '../../model/routes.ts';
import { Button, Failure, LoadingPart } from '../../parts/parts.tsx';
import { useKept } from '../../state/kept.ts';
import { useLoad } from '../../state/load.ts';
import { loadRoutes } from '../../state/routes.ts';
import { forgetSent, history, keepSent } from '../../state/sent.ts';
import { Address } from './address.tsx';
import { AnswerPart } from './answer.tsx';
import { BodyField } from './body.tsx';
import { AsCode } from './code.tsx';
import { Headers } from './headers.tsx';
import { History } from './history.tsx';
import { withOwnId } from './own-id.ts';
import { Parameters } from './parameters.tsx';
import { useSending } from './sending.ts';
import { FieldText } from './sent-texts.tsx';

interface ComposerProps {
  /** Where what was written is kept while the page is open. One that stands beside something else has its own. */
  readonly keep?: string;
  readonly start?: Draft;
}

/** A call of the learner's own: written here, sent from here, and answered beside it. */
export function Composer({ keep = 'send', start = firstDraft }: ComposerProps) {
  const [draft, setDraft] = useKept<Draft>(keep, start);
  const routes = useLoad(loadRoutes, [credentials.value?.clientId]);
  const { sending, start: send, stop } = useSending(keepSent);
  const change = (by: Partial<Draft>) => setDraft({ ...draft, ...by });

  const { method, address, headers, body } = draft;
  const clientId = credentials.value?.clientId;
  const route = routeFor(routes.value ?? [], method, address);
  const faults = faultsOf(draft, origin);
  const said = (at: 'method' | 'address' | 'body') => faults.find((fault) => fault.at === at)?.text;
  const stops = faults.find((fault) => fault.stops);
  const request = stops ? undefined : requestOf(draft, origin, clientId);
  const press = () => (stops ? undefined : send(draft));
  const setBody = (text: string, mediaType?: string) => {
    const at = headers.findIndex(({ name }) => /^content-type$/i.test(name));
    const typed = { name: 'Content-Type', value: mediaType ?? '' };
    const others = at < 0 ? [...headers, typed] : headers.with(at, typed);
    change({ body: text, headers: mediaType === undefined ? headers : others });
  };
  const latest = useRef(draft);
  latest.current = draft;
  const choose = async (chosen: Route) => {
    const first = draftOf(chosen, credentials.peek());
    setDraft(first);
    const address = await withOwnId(chosen, first.address, routes.value ?? []);
    // Unless something else was written meanwhile.
    if (latest.current === first) setDraft({ ...first, address });
  };
  const type = headers.find(({ name, off }) => !off && /^content-type$/i.test(name))?.value ?? '';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of its fields come up to it
    <div
      class="composer"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        void press();
      }}
    >
      <Address
        method={method}
        address={address}
        routes={routes.value ?? []}
        onMethod={(to) => change({ method: to })}
        onAddress={(to) => change(asTyped(to) ?? { address: to })}
        onRoute={choose}
        onSend={press}
        fault={said('method') ?? said('address')}
      >
        <Button kind="primary" onPress={press} disabled={stops !== undefined} title={stops?.text ?? 'Ctrl+Enter'}>
          Send
        </Button>
      </Address>
      {!routes.value && !routes.error && <LoadingPart />}
      <div class="send-sides">
        <section class="card" aria-label="The call">
          {route && <p class="muted">{route.summary}.</p>}
          {routes.error && <Failure error={routes.error} onAgain={routes.again} />}
          {route && <Parameters route={route} address={address} onAddress={(to) => change({ address: to })} />}
          <Headers
            headers={headers}
            known={route?.parameters.filter((each) => each.in === 'header') ?? []}
            faults={faults}
            onChange={(to) => change({ headers: to })}
          />
          {(body !== '' || !/^(?:GET|HEAD)$/.test(method)) && (
            <BodyField
              body={body}
              mediaType={type}
              known={route?.bodies ?? []}
              fault={said('body')}
              onChange={setBody}
            />
          )}
          {request?.url.includes('/for/') && !address.startsWith('/for/') && (
            <FieldText text={`No token says whose call this is, so it goes to /for/${clientId}${address}`} />
          )}
          {request && <AsCode request={request} />}
          <History history={history.value} onChoose={setDraft} onClear={forgetSent} />
        </section>
        <AnswerPart sending={sending} onStop={stop} />
      </div>
    </div>
  );
}

/** What was pasted as a whole: `POST /insurer/v1/policies`, or a URL. */
function asTyped(text: string): Partial<Draft> | undefined {
  const [, method, rest = text] = /^\s*([A-Z]+)\s+(\S.*)$/.exec(text) ?? [];
  const address = rest.startsWith(`${origin}/`) ? rest.slice(origin.length) : rest;
  if (method === undefined && address === text) return undefined;
  return method === undefined ? { address } : { method, address };
}
