import { useRef } from 'preact/hooks';
import { counted } from '../../../src/text/counted.ts';
import { call } from '../../api/call.ts';
import type { TransferList } from '../../api/types.ts';
import { nameOf } from '../../model/class.ts';
import { compareNames } from '../../model/need.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Page } from '../../parts/page.tsx';
import { Button, Notice, Time } from '../../parts/parts.tsx';
import { codes } from '../../state/class.ts';
import { go } from '../../state/route.ts';
import { useGradually } from './class-list.tsx';
import { QrCode, useJoining } from './join.tsx';
import { LearnerName } from './learner-parts.tsx';
import { useLayout, useTurns } from './wall-class.tsx';
import { ConfirmForAll, Outcome, useWork } from './work.tsx';

type Item = TransferList['items'][number];

const named = (item: Item) => ({ clientId: item.clientId, name: nameOf(item) });
const byName = (one: Item, other: Item) => compareNames(named(one), named(other));

/** A code for each learner, made when the trainer says so, to print and cut apart. */
export function Codes() {
  const work = useWork();
  const make = async () => {
    const { text } = await call('POST', '/range/v1/trainer/transfers', { as: 'trainer' });
    const { items, left }: TransferList = JSON.parse(text);
    codes.value = { made: { items: items.toSorted(byName), left }, onWall: false };
    return `${counted(items.length, 'code')} made.`;
  };
  return (
    <Page
      title="Codes for all"
      about="With a code a learner goes on in another browser, or at another address of this machine, with all that was done. It holds once, for a day."
      actions={
        <a class="button small" href="#/trainer/controls">
          Back to the controls
        </a>
      }
    >
      <ConfirmForAll label="Make a code for each learner" yes="Yes: make codes" onConfirm={() => work.attempt(make)}>
        <p>
          Codes that you gave out before end. A learner’s secret ends when the code is used, not before: whoever goes on
          as now loses nothing.
        </p>
      </ConfirmForAll>
      <Outcome work={work} />
      {codes.value && <Made made={codes.value.made} />}
    </Page>
  );
}

function Made({ made: { items, left } }: { readonly made: TransferList }) {
  const address = useJoining().value?.address ?? location.origin;
  const shown = useGradually(items.length);
  const show = (): void => {
    if (codes.value) codes.value = { ...codes.value, onWall: true };
    go('/trainer/codes?wall');
  };
  return (
    <>
      {left > 0 && <Notice mood="warn">{counted(left, 'learner')} more have none: only the last 500 get one.</Notice>}
      <div class="row">
        <Button kind="primary" disabled={shown < items.length} onPress={() => print()}>
          Print the codes
        </Button>
        <Confirm label="Show on the wall" yes="Yes: show names and codes" onConfirm={show} plain>
          <p>Everybody in the room can read them then, and take the client of somebody else.</p>
        </Confirm>
      </div>
      <ul class="plain columns code-sheet" aria-label="Codes">
        {items.slice(0, shown).map(({ code, expiresAt, ...learner }) => (
          <li key={learner.clientId} class="card">
            <div class="row">
              <QrCode text={`${address}/#/join/${code}`} width="7rem" />
              <div>
                <p>
                  <strong>
                    <LearnerName name={nameOf(learner)} />
                  </strong>
                </p>
                <p>
                  <strong class="mono">{code}</strong>
                </p>
                <p class="small">
                  Scan, or open <code>{address}/#/join</code> and type the code. Until <Time at={expiresAt} withDate />.
                </p>
              </div>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Names and codes, once the trainer has said that all may read them. */
export function CodesOnWall() {
  const address = useJoining().value?.address ?? location.origin;
  const items = codes.value?.onWall ? codes.value.made.items : [];
  const list = useRef<HTMLOListElement>(null);
  const { size, columns, rows, pages, perPage } = useLayout(list, items.length);
  const first = useTurns(pages) * perPage;
  return (
    <>
      <h1 tabIndex={-1}>Go on with your client</h1>
      <p class="wall-join">
        {items.length > 0 ? (
          <>
            Open <strong>{address}/#/join</strong> and type your code.
          </>
        ) : (
          'There are no codes to show: make them on the page “Codes for all”.'
        )}
      </p>
      <ol
        class="wall-list"
        aria-label="Codes"
        ref={list}
        style={{
          fontSize: size > 0 ? `${size}px` : '',
          '--wall-columns': String(columns),
          '--wall-rows': String(rows),
        }}
      >
        {items.slice(first, first + perPage).map(({ code, ...learner }) => (
          <li key={learner.clientId}>
            <strong class="wall-name">
              <LearnerName name={nameOf(learner)} />
            </strong>
            <span class="mono" style={{ fontSize: '1em' }}>
              {code}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
