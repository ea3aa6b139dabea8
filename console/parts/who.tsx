import type { Me } from '../api/types.ts';
import { Words } from './foreign.tsx';
import { Time } from './parts.tsx';

export interface WhoProps {
  readonly clientId: string;
  /** What the service said of the client; less before it has answered. */
  readonly known: Partial<Pick<Me, 'nickname' | 'clock' | 'drills'>> | undefined;
  /** What comes before the `#` of a page of the console: nothing within it. */
  readonly root?: string;
}

/** Whose page it is, and what time it is for them, if that is not the real time. In the bar of every page. */
export function Who({ clientId, known, root = '' }: WhoProps) {
  const { nickname, clock, drills = [] } = known ?? {};
  return (
    <span class="who">
      {drills.length > 0 && (
        <a class="of-drill" href={`${root}#/time`}>
          {drills.length === 1 ? `Drill: ${drills[0]?.name}` : `${drills.length} drills`}
        </a>
      )}
      {clock && clock.aheadSeconds > 0 && (
        <a class="of-clock" href={`${root}#/time`}>
          Your clock: <Time at={clock.now} withDate />
        </a>
      )}
      <span title={clientId}>
        <Words text={nickname ?? clientId.slice(0, 13)} />
      </span>
    </span>
  );
}
