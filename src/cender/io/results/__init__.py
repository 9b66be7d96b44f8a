"""Run folders and truth folders: tables with checked columns, written whole or not at all."""
