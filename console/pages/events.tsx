import { Page } from '../parts/page.tsx';

export default function Events() {
  return <Page title="Events">{null}</Page>;
}
