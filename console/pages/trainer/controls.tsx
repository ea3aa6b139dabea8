import { useState } from 'preact/hooks';
import type { ExchangeSummary } from '../../api/types.ts';
import { compareNames } from '../../model/need.ts';
import { Choice } from '../../parts/parts.tsx';
import { classRows } from '../../state/class.ts';
import { AnnouncementControl } from './announcement-control.tsx';
import { ClockControl } from './clock-control.tsx';
import { DrillsControl } from './drills-control.tsx';
import { ExportControl } from './export-control.tsx';
import { LearnerTraffic } from './learner-traffic.tsx';
import { FleetControl, ResetControl } from './reset-control.tsx';

const all = '';

const changesSomething = ({ method }: ExchangeSummary) => method !== 'GET' && method !== 'HEAD';

/** What the trainer can do to the class, or to one learner. */
export function Controls() {
  const [chosen, setChosen] = useState(all);
  const learners = [...classRows.value.values()].filter(({ need }) => need !== 'shared').sort(compareNames);
  const one = learners.find(({ clientId }) => clientId === chosen);
  // Who is gone meanwhile is not exchanged for all.
  const clientId = chosen === all ? undefined : chosen;
  const options = [
    [all, `All learners (${learners.length})`] as const,
    ...learners.map((each) => [each.clientId, each.name] as const),
    ...(clientId !== undefined && !one ? [[chosen, `${chosen} (gone)`] as const] : []),
  ];
  return (
    <>
      <div class="columns">
        <AnnouncementControl />
        <ExportControl />
      </div>
      <h2>Drills, clocks and reset</h2>
      <Choice label="For whom" value={chosen} options={options} onChange={setChosen} />
      <div class="columns">
        <DrillsControl key={chosen} clientId={clientId} />
        <div>
          <ClockControl key={`clock ${chosen}`} clientId={clientId} />
          <ResetControl key={`reset ${chosen}`} clientId={clientId} name={one?.name} />
          {clientId === undefined && <FleetControl />}
        </div>
      </div>
      <h2>Calls of nobody</h2>
      <p class="muted prose">
        Calls without a token, from an address that several learners share. Who puts <code>/for/CLIENT_ID</code> before
        the path finds them in their own traffic.
      </p>
      <LearnerTraffic path="/range/v1/trainer/exchanges" empty="There are none." />
      <h2>Your own calls</h2>
      <p class="muted prose">
        What was changed with the trainer token. <code>GET /range/v1/trainer/calls</code> also has what was read with
        it. It keeps the last 300 calls for a day, and this page reads every few seconds.
      </p>
      <LearnerTraffic path="/range/v1/trainer/calls" empty="There are none." only={changesSomething} />
    </>
  );
}
