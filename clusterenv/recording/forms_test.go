package recording

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFileForm(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("x"), bytes.Repeat([]byte{0, '\n', 255}, 50_000)} {
		var b bytes.Buffer
		require.NoError(t, putFile(&b, data))
		f, ok := takeFile(b.Bytes())
		require.True(t, ok)
		require.True(t, bytes.Equal(data, f.Data))
		for _, cut := range []int{0, 1, b.Len() / 2, b.Len() - 10} {
			_, ok = takeFile(b.Bytes()[:cut])
			require.False(t, ok, "%d of %d bytes: is to be kept as it is", cut, b.Len())
		}
	}
}

func TestArchiveForm(t *testing.T) {
	files := []File{{Name: "./a", Mode: 0o644, Data: bytes.Repeat([]byte("log\n"), 300)}, {Name: "./dir/b", Mode: 0o755}, {Name: "./c", Mode: 0o600, Data: []byte("c")}}
	var b bytes.Buffer
	require.NoError(t, putArchive(&b, "0 1 2 \n", files, true))
	for cut := range b.Len() + 1 {
		line, got, whole, ok := takeArchive(b.Bytes()[:cut])
		if cut < len("0 1 2 \n") {
			require.False(t, ok)
			continue
		}
		require.True(t, ok)
		require.Equal(t, "0 1 2 \n", line)
		for i, f := range got {
			if f.Name != files[i].Name || f.Mode != files[i].Mode || !bytes.Equal(f.Data, files[i].Data) {
				t.Fatalf("cut at %d: file %d is %s", cut, i, f.Name)
			}
		}
		if whole {
			continue
		}
		var again bytes.Buffer
		require.NoError(t, putArchive(&again, line, got, false))
		_, same, _, _ := takeArchive(again.Bytes())
		require.Len(t, same, len(got), "cut at %d", cut)
	}
	_, got, whole, ok := takeArchive([]byte("\n"))
	require.True(t, ok && whole)
	require.Empty(t, got)
}

func TestDumpShowsWhatIsCompressed(t *testing.T) {
	rec, ferr := parse(encodeFile(sampleHeader(), sampleRequests()))
	require.Nil(t, ferr)
	var all, asked bytes.Buffer
	require.NoError(t, Dump(&all, rec, true))
	require.NoError(t, Dump(&asked, rec, false))
	for _, want := range []string{"RECORDING of 2026-11-30 on lab (cloudlab), not your cluster", "  | Tried txn thpt: 14.32 KOPS", "-> signal KILL", "== TestLab: again", "  | echo a long script"} {
		require.Contains(t, all.String(), want)
	}
	require.NotContains(t, asked.String(), "Tried")
	require.NotContains(t, asked.String(), "2026")
	require.Contains(t, asked.String(), "== TestLab: again")
}
