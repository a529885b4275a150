ALTER TABLE searched RENAME TO searchlog_searches;
DROP INDEX searched_account;
DROP INDEX searched_day;
CREATE INDEX searchlog_searches_account ON searchlog_searches (account, text, day);
CREATE INDEX searchlog_searches_day ON searchlog_searches (day);

ALTER TABLE clicked RENAME TO searchlog_clicks;
DROP INDEX clicked_account;
DROP INDEX clicked_day;
CREATE INDEX searchlog_clicks_account ON searchlog_clicks (account, text, day, video);
CREATE INDEX searchlog_clicks_day ON searchlog_clicks (day);
