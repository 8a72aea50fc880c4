# hit.gp draws what TestBenchHit prints, of which it takes the rows of the table: how many of
# what, and the cost of a call by hand, with tsnoop and with bpftrace, between tabs.
# gnuplot -e "table='FILE'; kernel='6.12'" hit.gp
set terminal svg size 960,360 background rgb 'white'
set multiplot layout 1,3 title 'What a traced call costs, on '.kernel
set datafile separator tab
set key top left reverse Left
set logscale x 2
set yrange [0:*]
set style data linespoints
tools = '"by hand" tsnoop bpftrace'
# The columns "8 values" and "tsnoop 1.38 (1.14)"
cost(text, tool) = real(substr(text, strlen(tool)+2, strlen(text)))
do for [what in 'values "values of pairs" probes'] {
	set title what
	set xlabel 'number of '.what
	set ylabel (what eq 'values' ? 'us a call' : '')
	plot for [i=1:3] "<awk -F'\t' '$1 ~ /^[0-9]+ ".what."$/' '".table."'" using (real(strcol(1))):(cost(strcol(i+1), word(tools, i))) \
		title word(tools, i) lw 2 pt 7 ps 0.6
}
unset multiplot
