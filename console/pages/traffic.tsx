import { Page } from '../parts/page.tsx';

export function Traffic() {
  return <Page title="Traffic">{null}</Page>;
}
