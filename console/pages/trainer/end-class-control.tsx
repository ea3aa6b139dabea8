import { call } from '../../api/call.ts';
import { counted } from '../../model/elapsed.ts';
import { learnersHere, look } from '../../state/class.ts';
import { Confirm } from './confirm.tsx';
import { Outcome } from './outcome.tsx';
import { useWork } from './use-work.ts';

/** Ends a class, so that the next one begins with nobody. */
export function EndClassControl() {
  const work = useWork();
  const learners = learnersHere();
  const end = async () => {
    const { text } = await call('DELETE', '/range/v1/trainer/learners', { as: 'trainer' });
    await look(true);
    return `The class has ended: ${counted(JSON.parse(text).clients, 'learner')} removed.`;
  };
  return (
    <section class="card">
      <h2>End this class</h2>
      <p>
        Removes all learners with their lessons, nicknames and clocks, and the announcement. Learners must make a new
        client.
      </p>
      <Confirm
        label="End this class"
        yes="Yes: end this class"
        disabled={learners === 0}
        typed={{ text: String(learners), label: `Type the number of learners, ${learners}, to confirm` }}
        onConfirm={() => work.attempt(end)}
      >
        <p>
          <strong>{counted(learners, 'learner')} will be removed, with everything they did.</strong> There is no way
          back. Export first what you want to keep.
        </p>
      </Confirm>
      <Outcome work={work} />
    </section>
  );
}
