import { credentials, origin } from '../../api/session.ts';
import { stagesOf } from '../../api/stages.ts';
import { examineCommand } from '../../model/own-insurer.ts';
import { NeedsClient, Page } from '../../parts/page.tsx';
import { Code, Show } from '../../parts/parts.tsx';
import { StageRows } from '../../parts/stage-rows.tsx';
import { useEvery, useLoad } from '../../state/load.ts';
import { hiddenSecret } from '../guides/guide.ts';
import { OwnStanding } from './own-insurer-card.tsx';

const pollEvery = 5000;

/** The other side of the counter: the stages of an insurer that the learner builds. */
export default function OwnInsurerPage() {
  return (
    <Page
      title="Build your own insurer"
      about="Write the insurer yourself, in a language of your choice. L-Plate is the client that checks it: the same calls go to your service and to L-Plate, and the shortest row of calls that shows a difference is told."
      actions={<a href="#/lessons">All lessons</a>}
    >
      <NeedsClient>
        <Mine />
      </NeedsClient>
    </Page>
  );
}

function Mine() {
  const loaded = useLoad(() => stagesOf(), []);
  useEvery(pollEvery, () => loaded.state !== 'loading' && loaded.again());
  const { clientId = '', clientSecret = '' } = credentials.value ?? {};
  return (
    <>
      <h2>How to start</h2>
      <p>
        <a href="#/guides/build-your-own">The guide</a> has the way, and a starter in three languages. When your service
        listens, this examines it. The address is that of your service.
      </p>
      <Code
        text={examineCommand(origin, clientId, hiddenSecret)}
        copied={examineCommand(origin, clientId, clientSecret)}
        label="Examine your insurer"
      />
      <p class="muted small">
        What is copied has your secret. What comes of each stage is sent here by your machine: your trainer sees it,
        too. The certificate does not have it.
      </p>
      <h2>Stages</h2>
      <Show loaded={loaded}>
        {(stages) => (
          <>
            <OwnStanding stages={stages} />
            <StageRows stages={stages} />
          </>
        )}
      </Show>
    </>
  );
}
