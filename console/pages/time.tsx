import { NeedsClient, Page } from '../parts/page.tsx';
import { Clock } from './time/clock.tsx';
import { Drills } from './time/drills.tsx';
import { Jump } from './time/jump.tsx';
import { Reset } from './time/reset.tsx';

export default function TimeAndDrills() {
  return (
    <Page
      title="Time and drills"
      about="Move your own clock ahead, and switch faults on for your own calls. Nobody else notices."
    >
      <NeedsClient>
        <Clock />
        <Jump />
        <Drills />
        <Reset />
      </NeedsClient>
    </Page>
  );
}
