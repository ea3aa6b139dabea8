import type { Exchange } from '../../api/types.ts';
import { Foreign } from '../../parts/contained.tsx';
import { Badge, Time } from '../../parts/parts.tsx';
import { Fold } from './fold.tsx';
import { claimsOf, timeOfCall, validityAt } from './token-claims.ts';

interface TokenPartProps {
  readonly exchange: Exchange;
  readonly token: Exchange['tokens'][number];
  /** `(token 1)` stands for the first. */
  readonly number: number;
}

/** The claims of a token that was sent or given out. */
export function TokenPart({ exchange, token, number }: TokenPartProps) {
  const validity = validityAt(token.claims, timeOfCall(exchange));
  const moods = { valid: 'good', expired: 'bad', 'not-yet': 'bad' } as const;
  return (
    <Fold
      title={`Token ${number}`}
      beside={validity && <Badge mood={moods[validity.state]}>{validity.text}</Badge>}
      open={validity !== undefined && validity.state !== 'valid'}
    >
      <p class="small muted">
        <code>(token {number})</code> stands for it. Its signature is not in the log.
      </p>
      <Claims label="Header" part={token.header} />
      <Claims label="Claims" part={token.claims} />
    </Fold>
  );
}

function Claims({ label, part }: { readonly label: string; readonly part: Record<string, unknown> }) {
  return (
    <table class="pairs">
      <caption>{label}</caption>
      <tbody>
        {claimsOf(part).map(({ name, value, at }) => (
          <tr key={name}>
            <th scope="row">
              <Foreign text={name} />
            </th>
            <td>
              <Foreign text={value} />
              {at !== undefined && (
                <span class="muted">
                  {' '}
                  (<Time at={at} withDate />)
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
