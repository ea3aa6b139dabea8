import { useId } from 'preact/hooks';
import { clientToken, forgetToken } from '../../api/call.ts';
import { credentials } from '../../api/session.ts';
import type { DraftHeader, Fault } from '../../model/draft.ts';
import { howLong } from '../../model/duration.ts';
import type { Parameter } from '../../model/routes.ts';
import { readToken } from '../../model/token.ts';
import { Button } from '../../parts/parts.tsx';
import { useLoad } from '../../state/load.ts';
import { useClientNow } from '../../state/now.ts';
import { FieldText } from './sent-texts.tsx';

interface HeadersProps {
  readonly headers: readonly DraftHeader[];
  /** Those that the route knows. */
  readonly known: readonly Parameter[];
  readonly faults: readonly Fault[];
  readonly onChange: (headers: readonly DraftHeader[]) => void;
}

const common = ['Accept', 'Authorization', 'Content-Type'];

/** Each can be changed, switched off and removed; those that the route knows are offered. */
export function Headers({ headers, known, faults, onChange }: HeadersProps) {
  const id = useId();
  const change = (at: number, by: Partial<DraftHeader>) =>
    onChange(headers.map((header, number) => (number === at ? { ...header, ...by } : header)));
  const sent = new Set(headers.map(({ name }) => name.toLowerCase()));
  const missing = known.filter(({ name }) => !sent.has(name.toLowerCase()));
  return (
    <section aria-label="Headers of the call">
      <table class="send-rows send-headers">
        <caption class="label">Headers</caption>
        <tbody>
          {headers.map(({ name, value, off = false }, at) => {
            const said = faults.find((fault) => fault.at === at)?.text;
            return (
              <tr key={at} class={off ? 'off' : ''}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Send ${name || 'this header'}`}
                    checked={!off}
                    onChange={(event) => change(at, { off: !event.currentTarget.checked })}
                  />
                </td>
                <td>
                  <input
                    type="text"
                    class="mono syntax-name"
                    aria-label={`Name of header ${at + 1}`}
                    list={`${id}-names`}
                    spellcheck={false}
                    autocomplete="off"
                    value={name}
                    onInput={(event) => change(at, { name: event.currentTarget.value })}
                  />
                </td>
                <td>
                  <input
                    type="text"
                    class="mono"
                    aria-label={`Value of ${name || `header ${at + 1}`}`}
                    aria-describedby={said && `${id}-${at}`}
                    spellcheck={false}
                    autocomplete="off"
                    value={value}
                    onInput={(event) => change(at, { value: event.currentTarget.value })}
                  />
                  {!off && value.includes('{{token}}') && <TokenLife />}
                  <FieldText id={`${id}-${at}`} text={said} />
                </td>
                <td>
                  <Button
                    small
                    label={`Remove ${name || 'this header'}`}
                    onPress={() => onChange(headers.toSpliced(at, 1))}
                  >
                    ×
                  </Button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <datalist id={`${id}-names`}>
        {[...common, ...known.map(({ name }) => name)].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div class="row">
        <Button small onPress={() => onChange([...headers, { name: '', value: '' }])}>
          Add a header
        </Button>
        {missing.map(({ name, about, example }) => (
          <Button
            key={name}
            small
            title={about}
            onPress={() => onChange([...headers, { name, value: freshValue(name, example) }])}
          >
            + {name}
          </Button>
        ))}
      </div>
    </section>
  );
}

/** A key is for one call only, so each time it is another one. */
function freshValue(name: string, example = ''): string {
  if (name !== 'Idempotency-Key') return example;
  // Over plain HTTP from another machine there is no randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `"${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}"`;
}

/** How long the token lasts that stands in the place of `{{token}}`. */
function TokenLife() {
  const now = useClientNow();
  const clientId = credentials.value?.clientId;
  const { value, error, again } = useLoad(clientToken, [clientId, Math.floor(now / 10_000)]);
  if (!clientId) return <FieldText text="You have no client yet: the page Start makes one." />;
  if (error) return <FieldText text={`There is no token: ${error.message}`} />;
  const expires = value && readToken(value).token?.claims.exp;
  if (typeof expires !== 'number') return null;
  const left = expires - now / 1000;
  return (
    <span class="row ends small muted">
      {left > 0 ? `Valid for ${howLong(left)}` : 'It has expired'}
      <Button
        small
        onPress={() => {
          forgetToken();
          again();
        }}
      >
        New token
      </Button>
    </span>
  );
}
