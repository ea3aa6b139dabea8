import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import '../../../console/style/tokens.css';
import './style.css';
import Tour from './Tour.vue';
import Verify from './Verify.vue';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Tour', Tour);
    app.component('Verify', Verify);
  },
} satisfies Theme;
