import { call } from '../../api/call.ts';
import { counted } from '../../model/elapsed.ts';
import { learnersHere, look } from '../../state/class.ts';
import { ConfirmForAll } from './confirm-for-all.tsx';
import { Outcome } from './outcome.tsx';
import { useWork } from './use-work.ts';

/** Ends a class, so that the next one begins with nobody. */
export function EndClassControl() {
  const work = useWork();
  const end = async () => {
    const { text } = await call('DELETE', '/range/v1/trainer/learners', { as: 'trainer' });
    await look(true);
    return `The class has ended: ${counted(JSON.parse(text).clients, 'learner')} removed.`;
  };
  return (
    <section class="card">
      <h2>End this class</h2>
      <p>
        Removes all learners with their lessons, nicknames and clocks, the announcement and the log of your own calls.
        Learners must make a new client.
      </p>
      <ConfirmForAll label="End this class" yes="Yes: end this class" onConfirm={() => work.attempt(end)}>
        <p>
          <strong>{counted(learnersHere(), 'learner')} will be removed, with everything they did.</strong> There is no
          way back. Export first what you want to keep.
        </p>
      </ConfirmForAll>
      <Outcome work={work} />
    </section>
  );
}
