import { useState } from 'preact/hooks';
import { counted } from '../../../src/text/counted.ts';
import { call, read, send } from '../../api/call.ts';
import type { ExchangeSummary, SharedSecrets } from '../../api/types.ts';
import { compareNames } from '../../model/need.ts';
import { download } from '../../parts/download.ts';
import { Button, Choice, CopyButton, Show } from '../../parts/parts.tsx';
import { classRows, learnersHere, look } from '../../state/class.ts';
import { useLoad } from '../../state/load.ts';
import { AnnouncementControl } from './announcement-control.tsx';
import { ClockControl, DrillsControl, FleetControl, ResetControl } from './client-controls.tsx';
import { LearnerTraffic } from './learner-traffic.tsx';
import { ConfirmForAll, Outcome, useWork } from './work.tsx';

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

/** Leads to the certificates of all. */
function CertificatesControl() {
  return (
    <section class="card">
      <h2>Certificates</h2>
      <p>One page for each learner who has solved a lesson, with the names of the course and of the trainer.</p>
      <p>
        <a class="button" href="#/trainer/certificates">
          Print certificates of all
        </a>
      </p>
    </section>
  );
}

/** Leads to the codes of all. */
function CodesControl() {
  return (
    <section class="card">
      <h2>Codes for all</h2>
      <p>For each learner a code to go on with in another browser, or at another address of this machine: to print.</p>
      <p>
        <a class="button" href="#/trainer/codes">
          Codes for all
        </a>
      </p>
    </section>
  );
}

/** What the interface calls it, what it is, and what its columns say. */
const contents = [
  [
    'learners',
    'Learners',
    'One line for each learner: client id, nickname, first and last call, number of calls and of refusals, the last problem, the same of calls without a token (anybody can make them), since when it is active, its last reset, and refusals in a row.',
  ],
  [
    'lessons',
    'Lessons',
    'One line for each learner: how many lessons are solved, of how many, and hints taken; then a column for each lesson, named by its id, with the time when it was solved, or nothing.',
  ],
  [
    'exchanges',
    'Calls',
    'One line for each call of the last day, 300 for each learner at the most: who, when, method and URL, route (the address without ids), status, milliseconds, how it ended, the problem, and remarks.',
  ],
] as const;

const forms = [
  ['csv', 'CSV', '/export.csv'],
  ['json', 'JSON', '/export'],
] as const;

/** Saves who was there, what they solved, and what they called. */
function ExportControl() {
  const work = useWork();
  return (
    <section class="card">
      <h2>Export</h2>
      {contents.map(([content, what, columns]) => (
        <div key={content} class="export">
          <p class="small">
            <strong>{what}.</strong> {columns}
          </p>
          <div class="row">
            {forms.map(([form, formName, path]) => (
              <Button
                key={form}
                onPress={() => work.attempt(() => save(`${path}?content=${content}`, what.toLowerCase(), form))}
              >
                {`${what} as ${formName}`}
              </Button>
            ))}
          </div>
        </div>
      ))}
      <p class="small muted">
        The files are named after what they are and the time of the export. Times in them are UTC, as the interface has
        them.
      </p>
      <Outcome work={work} />
    </section>
  );
}

/** A link could not carry the token, so the bytes are fetched first. */
async function save(path: string, what: string, form: 'csv' | 'json'): Promise<string> {
  const response = await send('GET', `/range/v1/trainer${path}`, { as: 'trainer' });
  const name = `${what}-${fileMoment(new Date())}.${form}`;
  const file = await response.blob();
  // By this mark a spreadsheet knows that it is UTF-8.
  download(name, form === 'csv' ? new Blob(['\uFEFF', file], { type: file.type }) : file);
  return `${name} is saved.`;
}

/** The reader's date and time for the name of a file: `2026-03-02-1015`. */
function fileMoment(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}-${two(at.getHours())}${two(at.getMinutes())}`;
}

/** What learners need and only the trainer has. They are not shown: the page may be on a wall. */
function SecretsControl() {
  const loaded = useLoad(() => read<SharedSecrets>('/range/v1/trainer/secrets', { as: 'trainer' }), []);
  return (
    <section class="card">
      <h2>Shared secrets</h2>
      <p>For the signed check, and for the clients that all may use. Copy one, and give it to your learners.</p>
      <Show loaded={loaded}>
        {({ hmacSecret, clients }) => (
          <ul class="plain rows">
            <Secret name="HMAC_SECRET" value={hmacSecret} />
            {clients.map(({ clientId, clientSecret }) => (
              <Secret key={clientId} name={clientId} value={clientSecret} />
            ))}
          </ul>
        )}
      </Show>
    </section>
  );
}

function Secret({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <li class="row ends">
      <code>{name}</code>
      <CopyButton text={value} label={`Copy ${name}`} />
    </li>
  );
}

/** Ends a class, so that the next one begins with nobody. */
function EndClassControl() {
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
