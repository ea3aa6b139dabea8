import { counted } from '../../src/text/counted.ts';
import type { Me } from '../api/types.ts';
import { howLong } from '../model/duration.ts';
import { momentText } from '../model/when.ts';
import { Words } from './contained.tsx';
import { Time } from './parts.tsx';

export interface WhoProps {
  readonly clientId: string;
  /** What the service said of the client; less before it has answered. */
  readonly known: Partial<Pick<Me, 'nickname' | 'clock' | 'drills'>> | undefined;
  /** What comes before the `#` of a page of the console: nothing within it. */
  readonly root?: string;
  /** The id of the menu that the name opens. Without one it is a name. */
  readonly menu?: string;
}

/** Whose page it is, and what time it is for them, if that is not the real time. In the bar of every page. */
export function Who({ clientId, known, root = '', menu }: WhoProps) {
  const { nickname, clock, drills = [] } = known ?? {};
  const name = <Words text={nickname ?? `${clientId.slice(0, 13)}…`} />;
  return (
    <span class="who">
      {drills.length > 0 && (
        <a class="of-drill" href={`${root}#/time`} title={drills.map((drill) => drill.name).join(', ')}>
          {drills.length > 1 ? counted(drills.length, 'drill') : 'Drill'}
          {drills.length === 1 && <span class="long">: {drills[0]?.name}</span>}
        </a>
      )}
      {clock && clock.aheadSeconds > 0 && (
        <a class="of-clock" href={`${root}#/time`} title={`Your clock: ${momentText(new Date(clock.now))}`}>
          <span class="long">
            Your clock: <Time at={clock.now} withDate />
          </span>
          <span class="short">+{howLong(clock.aheadSeconds)}</span>
        </a>
      )}
      {menu ? (
        <button type="button" class="icon icon-down" popovertarget={menu} title={clientId}>
          {name}
        </button>
      ) : (
        <span title={clientId}>{name}</span>
      )}
    </span>
  );
}
