import { Page } from '../parts/page.tsx';

export function Start() {
  return <Page title="Start">{null}</Page>;
}
