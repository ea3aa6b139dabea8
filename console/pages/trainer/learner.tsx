import { counted } from '../../../src/text/counted.ts';
import { call, read } from '../../api/call.ts';
import { stagesOf } from '../../api/stages.ts';
import type { LearnerProfile } from '../../api/types.ts';
import { isShared, nameOf } from '../../model/class.ts';
import { howLong } from '../../model/duration.ts';
import { standingOf as insurerStanding } from '../../model/own-insurer.ts';
import { Words } from '../../parts/contained.tsx';
import { Page } from '../../parts/page.tsx';
import { Badge, Button, CopyButton, Notice, Show, Time } from '../../parts/parts.tsx';
import { StageRows } from '../../parts/stage-rows.tsx';
import { classRows, path, standingOf } from '../../state/class.ts';
import { useEvery, useLoad } from '../../state/load.ts';
import { ClockControl, DrillsControl, ResetControl } from './client-controls.tsx';
import { LearnerControl, LearnerNickname } from './learner-control.tsx';
import { LearnerCall, LearnerSilence, LearnerWarnings, Progress } from './learner-parts.tsx';
import { LearnerTraffic } from './learner-traffic.tsx';
import { useWork } from './work.tsx';

const again = 5000;

/** One learner: who it is, how far it got, what it calls, and its clock and drills. */
export function LearnerPage({ clientId }: { readonly clientId: string }) {
  const path = `/range/v1/trainer/learners/${encodeURIComponent(clientId)}`;
  const profile = useLoad(() => read<LearnerProfile>(path, { as: 'trainer' }), [path]);
  useEvery(again, profile.again);
  const name = nameOf(profile.value ?? { clientId, shownName: clientId });
  return (
    <Page
      title={name}
      actions={
        <a class="button small" href="#/trainer/class">
          Back to the class
        </a>
      }
    >
      <Show loaded={profile}>
        {(value) => (
          <>
            {!isShared(clientId) && (
              <div class="class-head">
                <LearnerNickname clientId={clientId} nickname={value.nickname} onNamed={profile.again} />
              </div>
            )}
            {value.help && <NeedsHelp profile={value} onHelped={profile.again} />}
            <Silent clientId={clientId} />
            {value.warnings.length > 0 && (
              <Notice mood="warn">
                <LearnerWarnings warnings={value.warnings} />
              </Notice>
            )}
            <Profile profile={value} />
            {!isShared(clientId) && <LearnerControl key={clientId} profile={value} onChanged={profile.again} />}
            <LearnerLessons clientId={clientId} />
            {!isShared(clientId) && <LearnerInsurer clientId={clientId} />}
            <h2>Traffic</h2>
            <LearnerTraffic
              live
              path={`${path}/exchanges`}
              empty="This learner has no calls in the log of the last day."
            />
            {!isShared(clientId) && (
              <div class="columns">
                <DrillsControl clientId={clientId} name={name} />
                <div>
                  <ClockControl clientId={clientId} onMoved={profile.again} />
                  <ResetControl clientId={clientId} name={name} onReset={profile.again} />
                </div>
              </div>
            )}
          </>
        )}
      </Show>
    </Page>
  );
}

/** What a learner asked for, and that it was helped. */
function NeedsHelp({
  profile: { clientId, help },
  onHelped,
}: {
  readonly profile: LearnerProfile;
  readonly onHelped: () => void;
}) {
  const work = useWork();
  const end = async () => {
    await call('DELETE', `/range/v1/trainer/learners/${encodeURIComponent(clientId)}/help`, { as: 'trainer' });
    onHelped();
    return 'Helped.';
  };
  if (!help) return null;
  return (
    <Notice mood="warn">
      <p class="row">
        <span>
          <strong>Asked for help</strong> at <Time at={help.at} />: <Words text={help.message} />
        </span>
        <Button small onPress={() => work.attempt(end)}>
          Helped
        </Button>
      </p>
    </Notice>
  );
}

function Silent({ clientId }: { readonly clientId: string }) {
  const { silent, resetFor = '' } = classRows.value.get(clientId) ?? {};
  if (!silent) return null;
  return (
    <Notice mood="warn">
      <LearnerSilence silent={silent} resetFor={resetFor} />
    </Notice>
  );
}

function Profile({ profile }: { readonly profile: LearnerProfile }) {
  const { clientId, firstSeenAt, lastSeenAt, lastCall, calls, refusals, lastProblem, owns, clock } = profile;
  const { callsWithoutToken, refusalsWithoutToken, keptUntil } = profile;
  return (
    <dl class="columns learner-facts">
      <div>
        <dt>Client</dt>
        <dd class="row">
          <code>{clientId}</code> <CopyButton text={clientId} />
        </dd>
      </div>
      <div>
        <dt>First call</dt>
        <dd>
          <Time at={firstSeenAt} withDate />
        </dd>
      </div>
      <div>
        <dt>Last call</dt>
        <dd>
          <Time at={lastSeenAt} withDate />
        </dd>
      </div>
      {keptUntil && (
        <div>
          <dt>Kept until</dt>
          <dd>
            <Time at={keptUntil} withDate />, each call prolongs it
          </dd>
        </div>
      )}
      {lastCall && (
        <div>
          <dt>Last call of its own</dt>
          <dd>
            <LearnerCall call={lastCall} withDate />
          </dd>
        </div>
      )}
      <div>
        <dt>Calls</dt>
        <dd>
          {counted(calls, 'call')}, {refusals} refused
          {lastProblem && (
            <>
              , last problem <code>{lastProblem}</code>
            </>
          )}
        </dd>
      </div>
      {callsWithoutToken > 0 && (
        <div>
          <dt>Without a token</dt>
          <dd>
            {counted(callsWithoutToken, 'call')}, {refusalsWithoutToken} refused: anybody can make them
          </dd>
        </div>
      )}
      <div>
        <dt>Owns</dt>
        <dd>
          {counted(owns.policies, 'policy', 'policies')}, {counted(owns.claims, 'claim')},{' '}
          {counted(owns.subscriptions, 'subscription')}
        </dd>
      </div>
      <div>
        <dt>Clock</dt>
        <dd>
          {clock.aheadSeconds === 0 ? (
            'In the present'
          ) : (
            <>
              <Time at={clock.now} withDate />, {howLong(clock.aheadSeconds)} ahead
            </>
          )}
        </dd>
      </div>
    </dl>
  );
}

/** What the learner’s machine reported of an insurer that the learner builds. */
function LearnerInsurer({ clientId }: { readonly clientId: string }) {
  const reports = useLoad(() => stagesOf(clientId), [clientId]);
  useEvery(again, reports.again);
  const { value = [] } = reports;
  const reported = value.filter(({ outcome }) => outcome !== null);
  if (reported.length === 0) return null;
  const { passed, of } = insurerStanding(value);
  return (
    <>
      <h2>Own insurer</h2>
      <p>
        {passed} of {of} stages passed, as <strong>reported by the learner’s machine</strong>.
      </p>
      <details>
        <summary>{counted(reported.length, 'stage')} reported</summary>
        <StageRows stages={reported} />
      </details>
    </>
  );
}

/** What a learner works on, and what it started or solved. */
function LearnerLessons({ clientId }: { readonly clientId: string }) {
  const row = classRows.value.get(clientId);
  if (!row || row.need === 'shared') return null;
  const { lessons = [], current = null, solved = 0, circumstances } = standingOf(clientId) ?? {};
  const titles = new Map(path.value.map(({ id, title }) => [id, title]));
  return (
    <>
      <h2>Lessons</h2>
      <p>
        <Progress solved={solved} of={path.value.length} />
      </p>
      {current && (
        <Notice mood={row.need === 'stuck' ? 'warn' : 'note'}>
          <p>
            {current.triedAt === null ? 'Next: ' : 'Works on '}
            <strong>
              <Words text={current.title} />
            </strong>
            {current.triedAt !== null &&
              `, with ${counted(current.hints, 'hint')} and ${counted(current.misses, 'miss', 'misses')}`}
            .{row.current?.unsolvedFor && ` Nothing solved for ${row.current.unsolvedFor}.`}
          </p>
          {row.refused && (
            <p class="miss">
              {counted(row.refused.times, 'refusal')} in a row, the last: <Words text={row.refused.text} />
            </p>
          )}
          {current.lastMiss && (
            <p class="miss">
              Last miss: <Words text={current.lastMiss} />
            </p>
          )}
        </Notice>
      )}
      {circumstances && circumstances.words.length > 0 && <p class="muted">{circumstances.words.join(' ')}</p>}
      {lessons.length > 0 && (
        <details>
          <summary>{counted(lessons.length, 'lesson')} started or solved</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
          <section class="scroll" tabIndex={0} aria-label="Lessons started or solved">
            <table>
              <thead>
                <tr>
                  <th scope="col">Lesson</th>
                  <th scope="col">State</th>
                  <th scope="col">Hints</th>
                  <th scope="col">Misses</th>
                  <th scope="col">Solved at</th>
                </tr>
              </thead>
              <tbody>
                {lessons.map(({ id, state, hints, misses, solvedAt }) => (
                  <tr key={id}>
                    <th scope="row">
                      <Words text={titles.get(id) ?? id} />
                    </th>
                    <td>
                      <Badge mood={state === 'solved' ? 'good' : 'warn'}>{state}</Badge>
                    </td>
                    <td>{hints}</td>
                    <td>{misses}</td>
                    <td>{solvedAt ? <Time at={solvedAt} /> : '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </details>
      )}
    </>
  );
}
