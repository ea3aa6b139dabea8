import { words } from '../../model/duration.ts';
import { Foreign, Words } from '../../parts/contained.tsx';
import { Badge, Time } from '../../parts/parts.tsx';
import { ahead, besides, effectsOf, type Happening, type Kind } from './jump.ts';
import type { Snapshot } from './owned.ts';

const kinds: Record<Kind, string> = { token: 'Token', policy: 'Policy', claim: 'Claim', webhook: 'Webhook' };

/** Rows that are shown: of more, how many there are. */
const maxRows = 50;

/** What a jump from `now` to `to` would cause. Milliseconds since 1970; without `to` nothing can be told. */
export function Preview({
  snapshot,
  now,
  to,
}: {
  readonly snapshot: Snapshot;
  readonly now: number;
  readonly to: number | undefined;
}) {
  if (to === undefined) return null;
  const happenings = ahead(snapshot, now);
  const { certain, possible } = effectsOf(happenings, to);
  const next = happenings.find(({ latest }) => latest > to);
  const also = besides(to - now);
  return (
    <section class="card" aria-label="What would happen">
      <h3>What would happen</h3>
      {certain.length === 0 && possible.length === 0 && <p>Nothing of yours is due in that time.</p>}
      {certain.length > 0 && <Rows happenings={certain} now={now} caption="In that time" />}
      {possible.length > 0 && (
        <>
          <Rows happenings={possible} now={now} caption="Perhaps, at the latest at" />
          <p class="small muted">
            The interface does not show the pace of a claim: 1 second to an hour between two moves. After its first move
            it follows from the times.
          </p>
        </>
      )}
      {next && possible.length === 0 && (
        <p class="muted">
          After that comes, in {words((next.latest - now) / 1000)}: <Foreign text={next.what} />
        </p>
      )}
      {also.length > 0 && (
        <ul class="small">
          {also.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {snapshot.cut.length > 0 && (
        <p class="small">You have very many {snapshot.cut.join(' and ')}: not all are here.</p>
      )}
      <p class="small muted">
        In real time stay drills, rate limits, the log of your calls, and the time without use after which a client is
        removed.
      </p>
    </section>
  );
}

function Rows({
  happenings,
  now,
  caption,
}: {
  readonly happenings: readonly Happening[];
  readonly now: number;
  readonly caption: string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table class="happenings stacked">
        <thead>
          <tr>
            <th scope="col">{caption}</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {happenings.slice(0, maxRows).map(({ kind, id, what, latest, href }) => (
            <tr key={`${kind} ${id} ${what}`}>
              <td class="nowrap">
                <Time at={new Date(latest).toISOString()} withDate />
                <br />
                <span class="muted small">in {words((latest - now) / 1000)}</span>
              </td>
              <td>
                <a href={href}>
                  <Badge>{kinds[kind]}</Badge>
                </a>{' '}
                <Words text={what} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {happenings.length > maxRows && <p class="small">And {happenings.length - maxRows} more.</p>}
    </section>
  );
}
