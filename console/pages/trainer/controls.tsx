import { useState } from 'preact/hooks';
import type { ExchangeSummary } from '../../api/types.ts';
import { compareNames } from '../../model/need.ts';
import { Choice } from '../../parts/parts.tsx';
import { classRows } from '../../state/class.ts';
import { AnnouncementControl } from './announcement-control.tsx';
import { CertificatesControl } from './certificates-control.tsx';
import { ClockControl } from './clock-control.tsx';
import { CodesControl } from './codes-control.tsx';
import { DrillsControl } from './drills-control.tsx';
import { EndClassControl } from './end-class-control.tsx';
import { ExportControl } from './export-control.tsx';
import { LearnerTraffic } from './learner-traffic.tsx';
import { FleetControl, ResetControl } from './reset-control.tsx';
import { SecretsControl } from './secrets-control.tsx';

/** No choice yet: what is done to a learner, or to all, is chosen first. */
const nobody = '';
const all = 'all';

const changesSomething = ({ method }: ExchangeSummary) => method !== 'GET' && method !== 'HEAD';

/** What the trainer can do to the class, or to one learner. */
export function Controls() {
  const [chosen, setChosen] = useState(nobody);
  const learners = [...classRows.value.values()].filter(({ need }) => need !== 'shared').sort(compareNames);
  const one = learners.find(({ clientId }) => clientId === chosen);
  // Who is gone meanwhile is not exchanged for all.
  const clientId = chosen === all ? undefined : chosen;
  const options = [
    [nobody, 'Choose …'] as const,
    [all, `All learners (${learners.length})`] as const,
    ...learners.map((each) => [each.clientId, each.name] as const),
    ...(chosen !== nobody && clientId !== undefined && !one ? [[chosen, `${chosen} (gone)`] as const] : []),
  ];
  return (
    <>
      <AnnouncementControl />
      <h2>Drills, clocks and reset</h2>
      <Choice label="For whom" value={chosen} options={options} onChange={setChosen} />
      {chosen === nobody ? (
        <p class="muted">Choose one learner or all of them: then their drills, clock and reset are here.</p>
      ) : (
        <div class="columns controls">
          <DrillsControl key={chosen} clientId={clientId} name={one?.name} />
          <div>
            <ClockControl key={`clock ${chosen}`} clientId={clientId} />
            <ResetControl key={`reset ${chosen}`} clientId={clientId} name={one?.name} />
          </div>
        </div>
      )}
      <h2>The class as a whole</h2>
      <div class="columns controls">
        <div>
          <CertificatesControl />
          <CodesControl />
          <ExportControl />
          <FleetControl />
        </div>
        <div>
          <SecretsControl />
          <EndClassControl />
        </div>
      </div>
      <h2>Calls without an owner</h2>
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
