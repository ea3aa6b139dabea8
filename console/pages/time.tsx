import { Page } from '../parts/page.tsx';

export default function Time() {
  return <Page title="Time and drills">{null}</Page>;
}
