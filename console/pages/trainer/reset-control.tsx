import { call } from '../../api/call.ts';
import { counted } from '../../model/elapsed.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { learnersHere, look } from '../../state/class.ts';
import { ConfirmForAll } from './confirm-for-all.tsx';
import { LearnerName } from './learner-parts.tsx';
import { Outcome } from './outcome.tsx';
import { useWork } from './use-work.ts';

interface ResetControlProps {
  /** Who is reset; absent: all. */
  readonly clientId?: string | undefined;
  readonly name?: string | undefined;
  readonly onReset?: () => void;
}

/** Removes what one client owns, or what all own: then as many as there are must be typed. */
export function ResetControl({ clientId, name = '', onReset }: ResetControlProps) {
  const work = useWork();
  const after = (text: string) => {
    onReset?.();
    void look(true);
    return text;
  };
  const resetOne = async (id: string) => {
    await call('POST', `/range/v1/trainer/learners/${encodeURIComponent(id)}/reset`, { as: 'trainer' });
    return after('All that this learner owned is removed.');
  };
  const resetAll = async () => {
    const { text } = await call('POST', '/range/v1/trainer/reset', { as: 'trainer' });
    return after(`${counted(JSON.parse(text).clients, 'learner')} reset.`);
  };
  return (
    <section class="card">
      <h2>{clientId === undefined ? 'Reset all' : 'Reset'}</h2>
      <p>
        Removes policies, claims, webhooks with their deliveries, {clientId === undefined ? 'drills' : 'its own drills'}{' '}
        and the log of calls. Credentials, nicknames, clocks and solved lessons stay
        {clientId === undefined ? '.' : ', and so do drills of all.'}
      </p>
      {clientId === undefined ? (
        <ConfirmForAll label="Reset all" yes="Yes: reset all" onConfirm={() => work.attempt(resetAll)}>
          <p>
            <strong>All that {counted(learnersHere(), 'learner')} own will be removed.</strong> There is no way back.
            Export first? Calls can’t be exported afterwards.
          </p>
        </ConfirmForAll>
      ) : (
        <Confirm
          label="Reset this learner"
          yes="Yes: reset this learner"
          onConfirm={() => work.attempt(() => resetOne(clientId))}
        >
          <p>
            <strong>
              All that <LearnerName name={name} /> owns will be removed.
            </strong>{' '}
            There is no way back.
          </p>
        </Confirm>
      )}
      <Outcome work={work} />
    </section>
  );
}

/** The client that all may use, and that anybody may have spoiled. */
export function FleetControl() {
  const work = useWork();
  const reset = async () => {
    await call('POST', '/range/v1/trainer/fleet/reset', { as: 'trainer' });
    return 'preset-fleet is as after the first start.';
  };
  return (
    <section class="card">
      <h2>The client preset-fleet</h2>
      <p>Gives the shared client its first state: 75 new policies, and new claims within seconds.</p>
      <Confirm label="Renew preset-fleet" yes="Yes: renew" onConfirm={() => work.attempt(reset)}>
        <p>
          <strong>All who use preset-fleet lose its policies and claims.</strong>
        </p>
      </Confirm>
      <Outcome work={work} />
    </section>
  );
}
