import { route } from '../state/route.ts';
import { FlowPage } from './people/flow-page.tsx';
import { PeoplePage } from './people/list.tsx';

export default function People() {
  return route.value.rest[0] === 'flow' ? <FlowPage /> : <PeoplePage />;
}
